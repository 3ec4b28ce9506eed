#!/usr/bin/env bash
# Fits the bundled network to a folder of recordings and makes a package that the service loads: docs/guides/your-language.md tells how.
#
#   fit.sh FOLDER --code lg --language Luganda [--minutes 40] [--install "npx sauti"]      fit.sh --help lists all options
#
# PYTHON chooses the interpreter (3.11 or later with torch, numpy and onnx).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
PYTHONPATH="$here${PYTHONPATH:+:$PYTHONPATH}" PYTHONUNBUFFERED=1 exec "${PYTHON:-python3}" -m fit "$@"
