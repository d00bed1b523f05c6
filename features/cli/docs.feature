@contract
Feature: The documentation on the command line and the server

  Rule: svc docs finds a page by its topic

    Scenario Outline: svc docs prints the address of <topic>
      When I call "svc docs <topic>"
      Then it exits with 0
      And standard output matches "^https?://.*/docs/<path>$"

      Examples:
        | topic                  | path                         |
        | scripts                | scripts                      |
        | tutorials/etl          | tutorials/etl                |
        | etl                    | tutorials/etl                |
        | wait-signal            | cli/verbs#svc-wait-signal    |
        | secret set             | cli/vault#svc-secret-set     |
        | determinism_violation  | errors#determinism_violation |

    Scenario: svc docs lists all topics
      When I call "svc docs"
      Then it exits with 0
      And standard output has "tutorials/deploy-approval"
      And standard output has "api/runs"

    Scenario: a misspelt topic gets a suggestion
      When I call "svc docs pipelnes"
      Then it exits with 2
      And standard error has "did you mean `svc docs pipelines`"

  Rule: A page can be read in a terminal

    Scenario: svc docs prints a page unchanged as Markdown
      When I call "svc docs replay --text"
      Then it exits with 0
      And standard output has "# How replay works"

  Rule: The server serves the pages without authentication

    Scenario: the start page links to the pages
      When I send "GET" to "/docs" without a token
      Then the answer is 200
      And the answer has "/docs/"

    Scenario: an error links to the page about its code
      When I send "GET" to "/api/v1/orgs/no-such-org"
      Then the answer is 404 with code "not_found"
      And "docs" of the answer is "/docs/errors#not_found"
