Feature: what a step may not do

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
