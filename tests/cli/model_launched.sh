# Several processes that would each do the same are refused; so is an option
# for ranks without them.
unset OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS
model=$(dirname "$0")/../models/fixtures/llama
run="$model -i $model/ids.npy"
OMPI_COMM_WORLD_SIZE=2 $LOCANT model logits $run -o out.npy; echo $?
OMPI_COMM_WORLD_SIZE=2 $LOCANT model score $run; echo $?
OMPI_COMM_WORLD_SIZE=2 $LOCANT model generate $run --tokens 2 -o out.npy; echo $?
$LOCANT model logits $run --patience 5 -o out.npy; echo $?
$LOCANT model generate $run --tokens 2 --ranks mpi -o out.npy; echo $?
ls
