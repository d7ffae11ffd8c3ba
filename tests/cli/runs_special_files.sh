# A FIFO, a device, a socket, a folder in place of a store's files: refused at
# once, for reading and for writing, with exit 3.
train="train --generated --encoding alibi --steps 1 --layers 1 --width 16
       --heads 2 --ff 32 --batch 1 --length 16 --threads 1"
$LOCANT $train --dir whole > train.log 2>&1 || cat train.log
try() { # dir
    timeout 10 $LOCANT runs list --dir "$1" 2>&1; echo "$?"
    timeout 10 $LOCANT $train --dir "$1" 2>&1; echo "$?"
}
mkdir fifo socket device folder folder/runs.db
mkfifo fifo/runs.db
ln -s /dev/zero device/runs.db
python3 -c "import socket
socket.socket(socket.AF_UNIX).bind('socket/runs.db')"
for dir in fifo device socket folder; do
    try $dir
    ls -A $dir
done
for beside in wal shm journal; do
    cp -r whole $beside
    rm -f $beside/runs.db-*
    mkfifo $beside/runs.db-$beside
    try $beside
done
# What a link leads to is not written to.
cp -r whole link
echo precious > precious
ln -s "$PWD/precious" link/runs.db-wal
try link
rm link/runs.db-wal
ln -s "$PWD/precious" link/checkpoints/run-1.lock
$LOCANT runs rm 1 --dir link 2>&1; echo "$?"
cat precious
# A link to the store is the store.
mkdir elsewhere
ln -s ../whole/runs.db elsewhere/runs.db
$LOCANT runs list --dir elsewhere | wc -l
