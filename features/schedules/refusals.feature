@contract
Feature: Rejected schedules

  Rule: The response shows the invalid part and the reason

    Scenario Outline: a schedule is rejected: <what>
      When I send "PUT" to "{scoped}/schedules/bad" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"
      And "errors.0.pointer" of the answer is "<pointer>"
      And "errors.0.message" of the answer matches "<says>"
      When I send "GET" to "{scoped}/schedules/bad"
      Then the answer is 404 with code "not_found"

      Examples:
        | what                          | body                                                    | status | code             | pointer          | says                   |
        | too few fields                | {"cron": "* * *"}                                       | 422    | cron_invalid     | /cron            | has 3 fields           |
        | a minute that no hour has     | {"cron": "61 * * * *"}                                  | 422    | cron_invalid     | /cron            | as its minute          |
        | a date that no year has       | {"cron": "0 0 30 2 *"}                                  | 422    | cron_invalid     | /cron            | never fires            |
        | a zone that no map has        | {"cron": "@daily", "timezone": "Mars/Olympus"}          | 400    | invalid_request  | /timezone        | not a time zone        |
        | a member that nobody knows    | {"cron": "@daily", "every": "5m"}                       | 400    | invalid_request  | /every           | .                      |
        | a jitter of days              | {"cron": "@daily", "jitter": "2d"}                      | 400    | invalid_request  | /jitter          | must be 1s to 1d       |
        | a deadline in words           | {"cron": "@daily", "deadline": "soon"}                  | 400    | invalid_request  | /deadline        | is not a duration      |
        | a window of too many          | {"cron": "* * * * * *", "catch_up": "1d"}               | 400    | invalid_request  | /catch_up        | more than 1000         |
        | an overlap of nothing         | {"cron": "@daily", "overlap": "skip"}                   | 400    | invalid_request  | /overlap         | needs a workflow       |
        | a script that does not parse  | {"cron": "@daily", "workflow": {"source": "if then"}}   | 422    | workflow_invalid | /workflow/source | syntax                 |

  Rule: Only members can write schedules, and outsiders cannot see them

    Scenario: a viewer can read schedules
      Given a token of every role
      And the schedule "yearly" is '{"cron": "@yearly"}'
      When I send "GET" to "{scoped}/schedules/yearly" with the token "{viewer}"
      Then the answer is 200
      When I send "DELETE" to "{scoped}/schedules/yearly" with the token "{viewer}"
      Then the answer is 403 with code "forbidden"
      When I send "DELETE" to "{scoped}/schedules/yearly" with the token "{member}"
      Then the answer is 204
