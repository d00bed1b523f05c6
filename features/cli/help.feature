@contract
Feature: Help

  Rule: svc help contains the whole manual

    Scenario: every listed command has its own help
      When I ask every command of "svc --help" for its help
      Then each has a summary, a usage line and its flags
      And verbs of scripts have their exit codes, what is recorded and examples

    Scenario Outline: svc prints help for <line>
      When I call "<line>"
      Then it exits with 0
      And standard output has "<has>"
      And standard error is ""

      Examples:
        | line             | has                |
        | svc              | svc dev            |
        | svc help runs list | usage: svc runs ls |
        | svc token delete -h | usage: svc token rm |
        | svc help         | Exit codes:        |
        | svc help all     | In a script        |
        | svc help triggers | handler set       |
        | svc help verbs   | wait-event         |
        | svc -h           | Exit codes:        |
        | svc help submit  | usage: svc submit  |
        | svc submit -h    | usage: svc submit  |
        | svc runs         | svc runs ls        |
        | svc runs --help  | svc runs ls        |
        | svc help step    | What is recorded   |
        | svc sleep -h     | usage: svc sleep <duration> |
        | svc help emit    | In a script: svc emit |
        | svc help state   | svc state get <key> \| set |
