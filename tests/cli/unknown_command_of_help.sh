$LOCANT help tabel
