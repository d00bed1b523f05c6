Feature: svc step runs a command once
  A step is a command whose outcome is recorded. It does not run again, no matter how often its script runs.

  Rule: The command runs once and its outcome is final

    @VERB-001 @VERB-002 @VERB-004 @VERB-005 @VERB-006
    Scenario: every pass gets the recorded outcome without running the command
      When I submit the script "build.sh":
        """
        code=0
        text=$(svc step make -- sh -c 'echo ran >> {folder}/commands; echo built; exit 7') || code=$?
        echo "$text and $code" >> {folder}/passes
        svc sleep 20ms
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "commands" has 1 line
      And the file "passes" is:
        """
        built and 7
        built and 7
        built and 7
        """
      And the recorded steps are:
        | site    | kind  | exit | stdout  |
        | make#0  | step  | 7    | built\n |
        | sleep#0      | sleep | 0    |         |
        | sleep#1      | sleep | 0    |         |

    @VERB-002 @VERB-005
    Scenario: commands that are killed, cannot be run or do not exist are recorded
      When I submit the script "codes.sh":
        """
        echo true > {folder}/plain
        code=0; svc step ended -- sh -c 'kill -TERM $$' || code=$?; echo "$code" >> {folder}/codes
        code=0; svc step plain -- {folder}/plain || code=$?; echo "$code" >> {folder}/codes
        code=0; svc step absent -- /no/such/program || code=$?; echo "$code" >> {folder}/codes
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "codes" is:
        """
        143
        126
        127
        143
        126
        127
        """
      And the recorded steps are:
        | site     | exit |
        | ended#0  | 143  |
        | plain#0  | 126  |
        | absent#0 | 127  |
        | sleep#0  | 0    |

    @VERB-004
    Scenario: a step's output reaches the log unchanged
      When I submit the script "echo.sh":
        """
        svc step greet -- printf 'one\n  two\n\nno newline here'
        """
      Then the run succeeds
      And the log is:
        """
        one
          two

        no newline here
        """
