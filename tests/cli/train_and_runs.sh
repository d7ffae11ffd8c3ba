run="--generated --dir lab --steps 6 --layers 1 --width 16 --heads 2 --ff 32
     --batch 2"
$LOCANT train --encoding alibi $run 2> /dev/null | sed 's/loss.*//'
$LOCANT train --encoding alibi $run --json 2> /dev/null | grep -c train_loss
$LOCANT runs list --dir lab | awk 'NR > 1 { print $1, $2, $NF, $5, $6 }'
$LOCANT runs show 1 --dir lab | head -n 3
# version, instruction set, compiler, options: those of 'doctor' among them
$LOCANT runs show 1 --dir lab | grep -c '^computed    by locant [0-9.]*, [a-z]'
isa=$($LOCANT doctor --json | sed -n 's/.*"isa": "\([^"]*\)".*/\1/p')
$LOCANT runs show 1 --dir lab --json |
    grep -c "\"build\": \"locant [0-9.]*, $isa, .* -ffp-contract=off"
$LOCANT runs export --dir lab | cut -d, -f1-3
$LOCANT runs show 7 --dir lab; echo "$?"
$LOCANT runs sql 'select 1 as one, null as empty' --dir lab
$LOCANT runs sql 'drop table x' --dir lab > /dev/null 2>&1; echo "$?"
$LOCANT runs sql 'select 1 as one, null as empty, 0.5 as half, id, encoding
    from runs' --dir lab --json
$LOCANT runs export --table metrics --dir lab | cut -d, -f1,2,5
$LOCANT runs export --table losses --dir lab; echo "$?"
$LOCANT runs export --table evaluations --json --dir lab
$LOCANT runs export --table curve --dir lab; echo "$?"
$LOCANT runs rm 1 --dir lab
$LOCANT runs list --dir lab | awk 'NR > 1'
# of a task: its name, and a loss of answers
$LOCANT train --encoding none --task T13.2 --steps 1 --dir task > /dev/null 2>&1
$LOCANT runs show 1 --dir task | sed -n 's/[0-9.]* nats/N nats/; /^t/p'
