Feature: svc lock holds a lease while a command runs

  Rule: The lease is held only while the command runs

    @SCR-052 @SCR-053
    Scenario: the command is recorded as a step, and the lease is released before the next line
      When I submit the script "command.sh":
        """
        echo pass >> {folder}/passes
        code=0; svc lock deploy -- sh -c 'echo "out $SVC_IDEMPOTENCY_KEY" | cut -c 1-7; echo run >> {folder}/runs; exit 3' || code=$?
        svc step code -- echo "code $code"
        svc wait-signal go
        """
      Then the run waits for "signal" "go"
      And nobody holds "deploy"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And the file "passes" has 2 lines
      And the file "runs" has 1 line
      And the recorded steps are:
        | site     | kind        | exit |
        | deploy#0 | lock        | 0    |
        | deploy#0 | lock-step   | 3    |
        | code#0   | step        | 0    |
        | go#0     | wait-signal | 0    |
      And the log has "code 3" 1 time

    @SCR-052 @store
    Scenario: another run gets the lease between two commands of a waiting run
      Given a gate "leave"
      When I submit the script "one.sh" as "one":
        """
        svc lock deploy -- sh -c 'echo one >> {folder}/order; read -r _ < {folder}/leave'
        svc wait-signal go
        """
      Then the file "order" soon has 1 line
      When I submit the script "two.sh" as "two":
        """
        svc lock deploy -- sh -c 'echo two >> {folder}/order'
        """
      Then the run waits for "awaiting_lease" "deploy"
      When I open the gate "leave"
      Then the run succeeds
      And the file "order" has 2 lines
      When I look at the run "one"
      And I send the signal "go" with 'null'
      Then the run succeeds

    @SCR-054 @ERR-040
    Scenario: the command cannot call svc
      When I submit the script "inside.sh":
        """
        code=0; svc lock deploy -- svc step inner -- true || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "SVC_AGENT_SOCKET is not set"
      And the log has "code 1"
      And nobody holds "deploy"

  @contract
  Rule: A lease does not outlive its run

    @store
    Scenario: a cancelled run releases its lease and leaves the queue immediately
      When I submit the script "holder.sh" as "holder":
        """
        svc lock deploy
        svc sleep 1h
        """
      Then "deploy" is held by the run "holder"
      When I submit the script "second.sh" as "second":
        """
        svc lock deploy
        """
      Then the run waits for "awaiting_lease" "deploy"
      When I submit the script "third.sh" as "third":
        """
        svc lock deploy
        """
      Then the run waits for "awaiting_lease" "deploy"
      When I look at the run "second"
      And I cancel the run because "not needed"
      And I look at the run "holder"
      And I cancel the run because "not needed"
      And I look at the run "third"
      Then the run succeeds
      And nobody holds "deploy"

    Scenario: a run that fails releases its lease
      When I submit the script "fails.sh":
        """
        svc lock deploy
        exit 3
        """
      Then the run fails with code "script_failed"
      And nobody holds "deploy"

    Scenario: a command that crashed runs again under the same lease
      When I submit the script "crash.sh":
        """
        echo "$$" >> {folder}/passes
        svc lock deploy -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys; [ -e {folder}/struck ] || { touch {folder}/struck; kill -9 $(tail -n 1 {folder}/passes); sleep 60; }'
        """
      Then the run succeeds
      And the file "keys" has 2 lines
      And the file "keys" has 1 different line
      And nobody holds "deploy"

  @contract
  Rule: An invalid group is rejected without using a position

    Scenario: invalid groups and invalid calls are rejected
      When I submit the script "bad.sh":
        """
        try() { code=0; svc lock "$@" 2>/dev/null || code=$?; echo "code $code"; }
        try
        try ''
        try "$(printf 'a\nb')"
        try "$(head -c 256 /dev/zero | tr '\0' g)"
        try a b
        try a --
        try a --timeout soon
        try a --fence -- true
        try "$(head -c 255 /dev/zero | tr '\0' g)" -- true
        """
      Then the run succeeds
      And the log has "code 2" 8 times
      And the log has "code 0" 1 time
      And 2 steps are recorded
