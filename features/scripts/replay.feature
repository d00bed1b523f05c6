Feature: A script runs again from its first line

  Rule: Only the output of durable calls survives between passes

    @SCR-014 @SCR-015
    Scenario: a plain variable is computed again, and a step's output is not
      When I submit the script "memory.sh":
        """
        svc step before -- true
        forgotten=$RANDOM$RANDOM$RANDOM
        kept=$(svc step draw -- bash -c 'echo $RANDOM$RANDOM$RANDOM')
        echo "$forgotten" >> {folder}/forgotten
        echo "$kept" >> {folder}/kept
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "forgotten" has 2 different lines
      And the file "kept" has 2 lines
      And the file "kept" has 1 different line

  Rule: Recorded calls are logged once, and plain shell lines once per pass

    @SCR-070 @SCR-071 @SCR-072
    Scenario: a script runs in three passes
      When I submit the script "log.sh":
        """
        echo "plain shell"
        svc step work -- sh -c 'echo "out of the step"; echo "its stderr" >&2'
        svc wait-signal one
        svc wait-signal two
        """
      Then the run waits for "signal" "one"
      When I send the signal "one" with '"the first word"'
      And I send the signal "two" with '"the second word"'
      Then the run succeeds
      And the log has "plain shell" 2 times
      And the log has "out of the step" 1 time
      And the log has "its stderr" 1 time
      And the log has "the first word" 1 time
      And the log has "the second word" 1 time
      And 3 steps are recorded

  Rule: A pass must make the same calls as the pass before it

    @ERR-044
    Scenario Outline: a run fails if its second pass differs: <case>
      When I submit the script "turn.sh":
        """
        echo pass >> {folder}/passes
        if [ "$(wc -l < {folder}/passes)" -eq 1 ]; then <first>; else <later>; fi
        svc sleep 20ms
        echo 'this line is not reached'
        """
      Then the run fails with code "determinism_violation"
      And "error.message" of the run matches "position: *0"
      # @contract
      And "error.message" of the run matches "recorded: *<recorded>"
      # @contract
      And "error.message" of the run matches "present: *<present>"
      And the log lacks "not reached"
      And the file "commands" is:
        """
        first
        """

      Examples:
        | case                     | first                                                       | later                                                       | recorded     | present                |
        | a step of another name   | svc step one -- sh -c 'echo first >> {folder}/commands'     | svc step two -- sh -c 'echo second >> {folder}/commands'    | step one#0   | step two#0             |
        | another verb             | svc step one -- sh -c 'echo first >> {folder}/commands'     | svc state set one 1                                         | step one#0   | state set one#0        |
        | a call that is left out  | svc step one -- sh -c 'echo first >> {folder}/commands'     | true                                                        | step one#0   | sleep#0                |
        | an end that is too early | svc step one -- sh -c 'echo first >> {folder}/commands'     | exit 0                                                      | step one#0   | the end of the script  |
