#!/usr/bin/env bash
# Makes page.png: lines of text in four faces of DejaVu (Debian: imagemagick, fonts-dejavu-core), of several sizes, one
# slanted by 8 degrees, one light on dark, one upside down, on a light paper with some noise, 8-bit RGB.
set -euo pipefail
cd "$(dirname "$0")"
convert -size 640x440 -seed 5 xc:'#f4efe2' -attenuate 0.15 +noise Gaussian \
  -fill '#204878' -draw 'rectangle 40,300 600,360' -fill '#202838' \
  -font DejaVu-Sans -pointsize 34 -annotate +40+60 'Tensors, graphs and loops' \
  -font DejaVu-Serif -pointsize 28 -annotate +40+120 'compiled once, for all widths' \
  -font DejaVu-Sans-Mono -pointsize 26 -annotate +40+175 'y = 3.14159 x + 42' \
  -font DejaVu-Sans -pointsize 26 -annotate +500+175 'page 7' \
  -font DejaVu-Sans -pointsize 30 -annotate 8x8+60+225 'a line that slants' \
  -font DejaVu-Sans -pointsize 28 -annotate 180x180+420+385 'upside down' \
  -fill '#f8f8f0' -font DejaVu-Sans-Bold -pointsize 28 -annotate +60+341 'LIGHT ON DARK: 2026' \
  -blur 0x0.5 -strip -depth 8 -type TrueColor PNG24:page.png
