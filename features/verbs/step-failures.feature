Feature: Failing steps

  Rule: A failure is recorded like any outcome

    @ERR-037 @ERR-038
    Scenario: a failed command is recorded and does not run again
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
    Scenario: a bash script stops at an unhandled failed step
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
