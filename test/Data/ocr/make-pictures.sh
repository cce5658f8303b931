#!/usr/bin/env bash
# Makes upright.png and upside-down.png in this folder: a line of text in DejaVu Sans (Debian: imagemagick,
# fonts-dejavu-core), dark on a light paper with some noise, 64 rows by 256 columns, 8-bit RGB.
set -euo pipefail
cd "$(dirname "$0")"
convert -size 256x64 -seed 3 xc:'#f4efe2' -attenuate 0.15 +noise Gaussian \
  -font DejaVu-Sans -pointsize 34 -fill '#202838' -gravity center -annotate 0 'Reading line' \
  -blur 0x0.6 -strip -depth 8 -type TrueColor PNG24:upright.png
convert upright.png -rotate 180 -strip PNG24:upside-down.png
