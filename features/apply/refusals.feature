@contract
Feature: Files that cannot be applied

  Scenario: every problem of every file is listed, and nothing is changed
    Given a file "p/handlers/good.yaml":
      """
      on: [push]
      source: echo good
      filename: good.sh
      """
    And a file "p/handlers/bad.yaml":
      """
      on: [7]
      whenn: x
      source: echo
      """
    And a file "p/handlers/twice.yaml":
      """
      on: [push]
      on: [tag]
      """
    And a file "p/handlers/syntax.yaml":
      """
      on: [push
      """
    And a file "p/handlers/alias.yaml":
      """
      on: &on [push]
      tags: *on
      """
    And a file "p/schedules/late.yml":
      """
      cron: 0 3 * * *
      """
    And a file "p/webhooks/no name.yaml":
      """
      forge: forge_a
      """
    When I call "svc apply -f {folder}/p"
    Then it exits with 2
    And standard error has "nothing was changed (project_files_invalid)"
    And standard error has "handlers/bad.yaml:/on/0: must be a string"
    And standard error has "handlers/bad.yaml:/whenn: is not a known member"
    And standard error has "handlers/twice.yaml:/on: is set twice"
    And standard error has "handlers/syntax.yaml:2:1:"
    And standard error has "handlers/alias.yaml:/tags: is an alias"
    And standard error has "schedules/late.yml: rename it to late.yaml"
    And standard error has "webhooks/no name.yaml: the name must be"
    When I call "svc handler ls"
    Then standard output lacks "good"
    When I call "svc diff -f {folder}/p"
    Then it exits with 2

  Scenario Outline: a file outside the folder is not read: <what>
    Given a file "outside.sh":
      """
      echo outside
      """
    And a file "p/handlers/build.yaml":
      """
      on: [push]
      file: <file>
      """
    And a link "p/handlers/link.sh" to "{folder}/outside.sh"
    When I call "svc apply -f {folder}/p"
    Then it exits with 2
    And standard error has "handlers/build.yaml: "
    And standard error has "outside"

    Examples:
      | what             | file                     |
      | a parent folder  | ../../outside.sh         |
      | an absolute path | {folder}/outside.sh      |
      | a link           | link.sh                  |

  Scenario: a rejected object is reported with its file and pointer, and the others are applied
    Given a file "p/handlers/good.yaml":
      """
      on: [push]
      source: echo good
      filename: good.sh
      """
    And a file "p/handlers/bad.yaml":
      """
      on: [push]
      when: event.
      source: echo bad
      filename: bad.sh
      """
    When I call "svc apply -f {folder}/p"
    Then it exits with 1
    And standard output is "created handlers/good"
    And standard error has "failed handlers/bad:"
    And standard error has "handlers/bad.yaml:/when"

  Scenario Outline: a call with invalid arguments exits with 2: <line>
    When I call "svc <line>"
    Then it exits with 2
    And standard error has "<says>"

    Examples:
      | line                     | says                |
      | apply                    | -f is missing       |
      | diff                     | -f is missing       |
      | export                   | -o is missing       |
      | apply -f {folder}/absent | there is no folder  |
      | apply -f . --all         | --all needs --prune |
      | schema tokens            | there is no kind    |

  Scenario: the schema of a kind is printed
    When I call "svc schema event-hooks"
    Then it exits with 0
    And standard output has "key_env"
    And standard output lacks '"key"'
    When I call "svc schema handlers --json"
    Then standard output is JSON whose "$defs.Workflow.properties.file.type" is "string"
