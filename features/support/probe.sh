# What the conformance run asks of the machine of the agents: sent as a script, with one call as its last line. An answer
# is one line of base64, so that no byte of a file is lost on the way through the log.
answer() { printf 'probe:%s:\n' "$(base64 | tr -d '\n')"; }

# The machine that was asked first, by a file that was left there: all agents have to be on one.
same_machine() {
  [ -e "$1" ] || { echo "the agents run on more than one machine: $1 is not on $(hostname)" >&2; exit 3; }
}

begin() {
  : >"$1"
  if [ -e "$2" ]; then echo shared; else echo apart; fi | answer
}

read_file() { if [ -e "$1" ]; then { echo there; gzip -c "$1"; } | answer; else echo absent | answer; fi; }

# A part of an archive; the last one unpacks it.
append() { base64 -d >>"$1"; }

unpack() {
  mkdir -p "$2"
  tar --no-same-owner -xzf "$1" -C "$2"
  rm "$1"
}

make_gate() { mkfifo "$1"; }

open_gate() { timeout 30 bash -c 'echo >"$1"' open_gate "$1"; }

lives() { if kill -0 "$1" 2>/dev/null; then echo yes; else echo no; fi | answer; }
