# Several processes that would each do the same are refused by every command
# that takes ranks or parts, or that runs in one process; so is an option for
# ranks without them.  The first process says it.
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS
model=$(dirname "$0")/../models/fixtures/llama
run="$model -i $model/ids.npy"
launched() {
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 $LOCANT "$@"; echo $?
    OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=1 $LOCANT "$@"; echo $?
}
launched train --encoding rope --generated
launched eval 1 --generated
launched bench --quick
launched model logits $run -o out.npy
launched model score $run
launched report --preset smoke --generated
launched model generate $run --tokens 2 -o out.npy
launched runs resume
PMI_SIZE=3 $LOCANT eval 1; echo $?
SLURM_PROCID=0 SLURM_STEP_NUM_TASKS=3 $LOCANT bench; echo $?
# a batch script has this one, too
SLURM_NTASKS=3 $LOCANT eval 1; echo $?
for command in 'train --encoding rope' 'eval 1' bench "model logits $run -o out.npy" \
    "model score $run"; do
    $LOCANT $command --patience 5; echo $?
done
$LOCANT model generate $run --tokens 2 --ranks mpi -o out.npy; echo $?
ls
