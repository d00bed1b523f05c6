Feature: Output of commands

  @contract
  Rule: Data goes to standard output, as JSON on request

    Scenario Outline: svc <line> --json prints JSON
      When I submit the script "job.sh":
        """
        svc step s -- true
        svc state set --entity counters a 1
        """
      Then the run succeeds
      When I call "svc <line> --json"
      Then it exits with 0
      And standard output is JSON with "<member>"

      Examples:
        | line                              | member       |
        | whoami                            | user         |
        | status {run}                      | run_id       |
        | steps {run}                       | steps        |
        | runs ls                           | runs         |
        | state ls --entity counters        | cells        |
        | state get a --entity counters     | value        |
        | agents ls                         | agents       |
        | plugins                           | plugins      |
        | org ls                            | orgs         |
        | project ls                        | projects     |
        | member ls                         | members      |
        | token ls                          | tokens       |
        | token create shown                | token        |
        | project create {project}-b        | project      |

      @needs-cc @needs-python3
      Examples:
        | line                              | member       |
        | doctor                            | findings     |

    Scenario: a command ends quietly when its reader closes the pipe
      Given 5 finished runs
      When I call "svc runs ls" into a reader that leaves at once
      Then it exits with 0
      And standard error is ""

  Rule: --follow shows the log as it grows

    @CLI-052
    Scenario: without a terminal, --follow prints plain lines only
      Given a file "job.sh":
        """
        echo out
        echo err >&2
        svc step s -- echo stepped
        """
      When I call "svc submit job.sh --follow"
      Then it exits with 0
      And standard output is:
        """
        out
        stepped
        """
      And standard error matches "^err$"
      And standard output and error hold no control characters

    @contract @needs-python3
    Scenario: on a terminal, --follow updates its last line
      Given a file "job.sh":
        """
        echo before
        svc wait-signal go
        echo after
        """
      When I start "svc submit job.sh --follow" on a terminal as "term"
      Then "term" shows its run
      And "term" says "\[\d+ s\] .*waiting \(signal go\)"
      When I send the signal "go" with '"now"'
      Then "term" ends with 0
      And "term" says "after"
      And the log of "term" has "succeeded"
      And the run succeeds

  @contract
  Rule: A run's output cannot control the terminal

    @needs-python3
    Scenario: escape sequences in output are made visible, and colors in the log are kept
      When I submit the script "job.sh":
        """
        printf 'a\033]0;owned\007b \033[31mred\033[0m \033[2Jc\r \342\200\256d\n'
        svc output set title="$(printf '\302\2350;owned')"
        """
      Then the run succeeds
      When I start "svc logs {run}" on a terminal as "seen"
      Then "seen" ends with 0
      And "seen" showed "a\u001b]0;owned\u0007b "
      And "seen" showed "c\u000d \u202ed"
      And "seen" showed the colour 31 and no other control
      When I start "svc status {run}" on a terminal as "status"
      Then "status" ends with 0
      And "status" showed "\u009d0;owned"
      When I call "svc logs {run}"
      Then standard output holds the byte 27

    Scenario: names cannot contain control characters
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "a\u202ehs.exe", "source": "true"}
        """
      Then the answer is 400 with code "invalid_request"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"filename": "a.sh", "source": "true", "tags": ["ok\u009b31m"]}
        """
      Then the answer is 400 with code "invalid_request"
