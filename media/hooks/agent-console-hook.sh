#!/bin/sh
# Hands one hook event (a JSON object on standard input) to Agent Console, by way of the folder "spool" beside this file.
# Prints nothing and always exits 0, so that it can never stop the agent. It waits for the end of its input and for nothing else, and
# needs milliseconds from there; a client that leaves its input open ends it at the time limit that it gives every hook.
exec >/dev/null 2>&1
umask 077
LC_ALL=C
export LC_ALL
spool=${0%/*}/spool

keep() {
  # What a hook of Agent Console itself starts is no news to it.
  [ -z "$AGENT_CONSOLE_OUTGOING_HOOK" ] || return
  [ -d "$spool" ] || mkdir "$spool" || return
  # While no editor reads them, the newest 2,000 events stay.
  set -- "$spool"/*
  while [ $# -ge 2000 ]; do
    rm -f "$1"
    shift
  done
  second=$(date +%s) || return
  temp=$(mktemp "$spool/$second.XXXXXXXXXX") || return
  # 32 KiB and the one byte more that tells of a longer text.
  if head -c 32769 >"$temp" && [ -s "$temp" ] && mv "$temp" "$temp.json"; then return; fi
  rm -f "$temp"
}

keep
# The client must be able to write everything it has to say.
cat
exit 0
