Feature: svc step does a piece of work once
  A step is a command whose outcome is kept. However often its script is run, the command is not.

  Rule: the command runs once, and its outcome stays

    @VERB-001 @VERB-002 @VERB-004 @VERB-005 @VERB-006
    Scenario: what a step came to is told again on every pass, without its command
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

    @VERB-004
    Scenario: the output of a step reaches the log byte by byte as it was written
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

  Rule: a step is known by its name and how often the run came to it

    @VERB-003 @SCR-022 @SCR-023
    Scenario: every turn of a loop is a record of its own
      When I submit the script "loop.sh":
        """
        for n in a b c; do
          svc step check -- sh -c "echo $n | tee -a {folder}/commands"
          svc step other -- true
        done
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "commands" is:
        """
        a
        b
        c
        """
      And the recorded steps are:
        | site    | stdout |
        | check#0 | a\n    |
        | other#0 |        |
        | check#1 | b\n    |
        | other#1 |        |
        | check#2 | c\n    |
        | other#2 |        |
        | sleep#0      |        |

  Rule: a label is for people only

    @VERB-007 @SCR-024
    Scenario: neither the site nor the comparison with the record knows of labels
      When I submit the script "label.sh":
        """
        echo pass >> {folder}/passes
        pass=$(wc -l < {folder}/passes | tr -d ' ')
        svc step build --label "Building, pass $pass" -- true
        svc step build --label "Something else" -- true
        svc sleep 20ms
        """
      Then the run succeeds
      And the file "passes" has 2 lines
      And the recorded steps are:
        | site    | label            |
        | build#0 | Building, pass 1 |
        | build#1 | Something else   |
        | sleep#0      |                  |
