Feature: Limits of a step body

  Rule: A step body cannot reach the agent

    @ERR-040 @ERR-041 @SCR-027
    Scenario: no verb works inside a step
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
    Scenario: of the service's variables, a step sees only the idempotency key
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

    @SCR-028
    Scenario: each attempt gets its number in a variable
      When I submit the script "tried.sh":
        """
        svc step look --retry 2 --backoff 10ms -- sh -c "env | grep '^SVC_' | cut -d= -f1; echo attempt \$ATTEMPT; [ \$ATTEMPT = 2 ]"
        svc activity far --retry 2 --backoff 10ms -- sh -c "env | grep '^SVC_' | cut -d= -f1; echo attempt \$ATTEMPT; [ \$ATTEMPT = 2 ]"
        """
      Then the run succeeds
      And the recorded steps are:
        | site   | stdout                              |
        | look#0 | SVC_IDEMPOTENCY_KEY\nattempt 2\n |
        | far#0  | SVC_IDEMPOTENCY_KEY\nattempt 2\n |

    @ERR-046
    Scenario: a bash script stops if it expands a variable that exists only in the body
      When I submit the script "unbound.sh":
        """
        svc step use -- echo "$SVC_IDEMPOTENCY_KEY"
        echo 'this line is not reached'
        """
      Then the run fails with code "script_failed"
      And the log has "SVC_IDEMPOTENCY_KEY: unbound variable"
      And the log lacks "not reached"
      And 0 steps are recorded
