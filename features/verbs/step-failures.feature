Feature: steps that fail, and what a step may not do

  Rule: a failure is an outcome like any other

    @ERR-037 @ERR-038
    Scenario: a failed command is recorded and stays failed
      When I submit the script "fails.sh":
        """
        for turn in 1 2; do
          code=0; svc step deploy -- sh -c 'echo tried >> {folder}/commands; exit 3' || code=$?
          echo "$turn: $code" >> {folder}/seen
        done
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "commands" has 2 lines
      And the file "seen" is:
        """
        1: 3
        2: 3
        1: 3
        2: 3
        """
      And the recorded steps are:
        | site     | exit |
        | deploy#0 | 3    |
        | deploy#1 | 3    |
        | sleep#0       | 0    |

    @ERR-039
    Scenario: a bash script ends at a failed step that it does not handle
      When I submit the script "ends.sh":
        """
        svc step fine -- true
        svc step check -- sh -c 'echo "the disk is full" >&2; exit 3'
        echo 'this line is not reached'
        """
      Then the run fails with code "script_failed"
      And "error.message" of the run matches "check#0"
      And "error.message" of the run matches "exit code 3"
      And "error.message" of the run matches "the disk is full"
      And the log lacks "not reached"
      And 2 steps are recorded

  Rule: a step keeps at most 2 MiB of output

    @LIM-003 @ERR-035 @ERR-036
    Scenario: one byte more than 2 MiB is refused, and the refusal is counted out
      When I submit the script "large.sh":
        """
        svc step exact -- head -c 2097152 /dev/zero | wc -c | tr -d ' '
        for bytes in 2097153 3000000; do
          code=0; kept=$(svc step over -- head -c $bytes /dev/zero | wc -c | tr -d ' ') || code=$?
          echo "kept $kept"
        done
        code=0; svc step over -- head -c 2097153 /dev/zero > /dev/null || code=$?
        echo "code $code"
        """
      Then the run succeeds
      And the log has "2097152"
      And the log has "kept 0" 2 times
      And the log has "code 1"
      And the log has "over#0 is 1 byte over the limit of 2 MiB"
      And the log has "over#1 is 902848 bytes over the limit of 2 MiB"

  Rule: a body has no way to the agent

    @ERR-040 @ERR-041 @SCR-027
    Scenario: no verb can be called inside a step
      When I submit the script "nested.sh":
        """
        for verb in "step inner -- true" "sleep 1s" "wait-signal go" "state list" "output set a=b" "annotate hi"; do
          code=0; svc step body -- svc $verb || code=$?
          echo "verb ended with $code"
        done
        """
      Then the run succeeds
      And the log has "verb ended with 1" 6 times
      And the log has "SVC_AGENT_SOCKET is not set" 6 times
      And 6 steps are recorded

    @SCR-028
    Scenario: the key is the one variable of ours in a step
      When I submit the script "body.sh":
        """
        env | grep -c '^SVC_' > {folder}/outside
        svc step look -- sh -c "env | grep '^SVC_' | cut -d= -f1"
        """
      Then the run succeeds
      And the file "outside" is:
        """
        6
        """
      And the log is:
        """
        SVC_IDEMPOTENCY_KEY
        """

    @ERR-046
    Scenario: a variable that only the body has ends the script that spells it out
      When I submit the script "unbound.sh":
        """
        svc step use -- echo "$SVC_IDEMPOTENCY_KEY"
        echo 'this line is not reached'
        """
      Then the run fails with code "script_failed"
      And the log has "SVC_IDEMPOTENCY_KEY: unbound variable"
      And the log lacks "not reached"
      And 0 steps are recorded
