# Brings a database up to the newest schema. Whoever runs this at the same time waits, and then has nothing to do.
# DB is the folder of the database; each file of MIGRATIONS is applied once, and whole or not at all.
applied=$(svc lock "schema-of-${DB##*/}" -- sh -c '
  mkdir -p "$DB/schema"
  for file in "$MIGRATIONS"/*.sql; do
    name=${file##*/}
    if [ -e "$DB/schema/$name" ]; then continue; fi
    cp "$file" "$DB/schema/.$name" && mv "$DB/schema/.$name" "$DB/schema/$name"
    echo "$name"
  done')
count=0
for name in $applied; do count=$((count + 1)); done
total=$(svc step verify -- sh -c 'ls "$DB/schema" | wc -l | tr -d " "')
svc output set applied:="$count" total:="$total"
