# Fails when somebody else is at it.
mkdir "$DATABASE/busy"
echo "$1 begin" >> "$DATABASE/log"
echo "$1 end" >> "$DATABASE/log"
rmdir "$DATABASE/busy"
