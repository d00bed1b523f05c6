Feature: Help and completion

  Rule: The help is the manual

    Scenario: every command that is listed explains itself
      When I ask every command of "svc --help" for its help
      Then each has a summary, a usage line and its flags

    Scenario Outline: help is shown for <line>
      When I call "<line>"
      Then it exits with 0
      And standard output has "<has>"
      And standard error is ""

      Examples:
        | line             | has                |
        | svc              | Exit codes:        |
        | svc help         | Exit codes:        |
        | svc -h           | Exit codes:        |
        | svc help submit  | usage: svc submit  |
        | svc submit -h    | usage: svc submit  |
        | svc runs         | svc runs ls        |
        | svc runs --help  | svc runs ls        |

  Rule: Completion works in its shell

    Scenario Outline: bash completes "<typed>"
      When bash has sourced the completion and completes "<typed>"
      Then it offers "<offered>"
      And it does not offer "<not>"

      Examples:
        | typed          | offered       | not       |
        | svc su         | submit        | status    |
        | svc st         | status        | submit    |
        | svc token c    | create        | ls        |
        | svc submit --f | --follow      | --tag     |
        | svc runs ls -- | --status      | --follow  |

    Scenario: the scripts for other shells name every command
      When I call "svc completion fish"
      Then standard output has "-a submit"
      And standard output has "-l follow"
      When I call "svc completion zsh"
      Then standard output has "#compdef svc"
