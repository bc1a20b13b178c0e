#!/usr/bin/env bash
#SBATCH --job-name=workorder-engine
#SBATCH --ntasks=16
#SBATCH --cpus-per-task=1
#SBATCH --mem-per-cpu=3G
#SBATCH --time=08:00:00
# Workers of Workorder's engine, one in each task. On the machine that runs the build, with the same home:
#   factory engine certs --out "$HOME/engine"
#   source "$HOME/engine/tls.sh"      (the variables of docs/engine.md)
#   factory engine scheduler --host 0.0.0.0 --scheduler-file "$HOME/engine/scheduler.json" &
#   sbatch slurm.sh
#   factory build … --engine "dask:$HOME/engine/scheduler.json" --jobs 16
set -euo pipefail

# shellcheck source=/dev/null
source "$HOME/engine/tls.sh"
export WORKORDER_CACHE_DIR="${SLURM_TMPDIR:-/tmp}/workorder-$USER"
exec srun factory engine worker --scheduler-file "$HOME/engine/scheduler.json"
