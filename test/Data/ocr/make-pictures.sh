#!/usr/bin/env bash
# Makes the pictures in this folder: lines of text in DejaVu Sans (Debian: imagemagick, fonts-dejavu-core), dark on a
# light paper with some noise, 8-bit RGB.
set -euo pipefail
cd "$(dirname "$0")"
picture() { # SIZE TEXT FILE
  convert -size "$1" -seed 3 xc:'#f4efe2' -attenuate 0.15 +noise Gaussian \
    -font DejaVu-Sans -pointsize 34 -fill '#202838' -gravity center -annotate 0 "$2" \
    -blur 0x0.6 -strip -depth 8 -type TrueColor "PNG24:$3"
}
picture 256x64 'Reading line' upright.png
convert upright.png -rotate 180 -strip PNG24:upside-down.png
# The same either way up.
picture 120x50 'xox' either-way.png
