$LOCANT report --preset smoke --generated -o none/page.html; s=$?; ls; exit $s
