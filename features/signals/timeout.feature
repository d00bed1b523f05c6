Feature: A wait for a signal can time out

  Rule: The outcome of a wait is final

    @SIG-005 @ERR-042
    Scenario: a timeout exits with 124 and prints nothing
      When I submit the script "late.sh":
        """
        code=0; text=$(svc wait-signal go --timeout 50ms 2> {folder}/said) || code=$?
        echo "got '$text' and $code"
        """
      Then the run succeeds
      And the log is:
        """
        got '' and 124
        """
      And the recorded steps are:
        | site | kind        | exit |
        | go#0 | wait-signal | 124  |

    @SIG-006 @store
    Scenario: a signal after the timeout goes to the next wait
      When I submit the script "pinned.sh":
        """
        code=0; svc wait-signal go --timeout 50ms || code=$?
        echo "$code" >> {folder}/seen
        svc wait-signal meanwhile
        svc wait-signal go
        svc sleep 20ms
        """
      Then the run waits for "signal" "meanwhile"
      When I send the signal "go" with '"too late for the first"'
      And I send the signal "meanwhile" with 'null'
      Then the run succeeds
      And the file "seen" has 3 lines
      And the file "seen" has 1 different line
      And the recorded steps are:
        | site        | exit | stdout                       |
        | go#0        | 124  |                              |
        | meanwhile#0 | 0    | null\n                       |
        | go#1        | 0    | "too late for the first"\n   |
        | sleep#0          | 0    |                              |

    @contract
    Scenario: an unhandled timeout ends a bash script
      When I submit the script "unhandled.sh":
        """
        svc wait-signal go --timeout 50ms
        """
      Then the run fails with code "script_failed"
      And "error.message" of the run matches "124"
