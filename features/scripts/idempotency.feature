Feature: every step has a key of its own

  Rule: the key stays with the step however often its command is run

    @SCR-030
    Scenario: a command that was killed in the middle is run again with its key
      Given a gate "never opened"
      When I submit the script "again.sh":
        """
        echo "$$" > {folder}/script
        svc step before -- true
        svc step pay -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys
          [ "$(wc -l < {folder}/keys)" -lt 3 ] || exit 0
          kill -9 "$(cat {folder}/script)"
          read -r _ < "{folder}/never opened"'
        """
      Then the run succeeds
      And the file "keys" has 3 lines
      And the file "keys" has 1 different line
      And 2 steps are recorded

    Scenario: no two steps share a key, in one run or in two
      When I submit the script "first.sh":
        """
        for name in pay pay send; do svc step "$name" -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'; done
        """
      Then the run succeeds
      When I submit the script "first.sh":
        """
        for name in pay pay send; do svc step "$name" -- sh -c 'echo "$SVC_IDEMPOTENCY_KEY" >> {folder}/keys'; done
        """
      Then the run succeeds
      And the file "keys" has 6 different lines
