@contract
Feature: Filters of runs are saved as views

  Rule: A view is saved, listed, used, replaced and removed

    @store
    Scenario: a list and an export use a view, and other filters replace those of the view
      When I submit the script "fine.sh" as "fine":
        """
        true
        """
      Then the run succeeds
      When I submit the script "broken.sh" as "broken":
        """
        exit 3
        """
      Then the run is "failed"
      When I call "svc view set failures --status failed --since 7d"
      Then it exits with 0
      And standard error has "Created view failures"
      When I call "svc runs ls --view failures"
      Then standard output has "broken.sh"
      And standard output lacks "fine.sh"
      When I call "svc runs ls --view failures --status succeeded"
      Then standard output has "fine.sh"
      And standard output lacks "broken.sh"
      When I call "svc runs ls --view failures --workflow fine.sh"
      Then standard error has "no runs"
      When I call "svc runs export --view failures --format csv"
      Then standard output has "broken.sh"
      And standard output lacks "fine.sh"
      When I call "svc view ls"
      Then standard output matches "failures +project +--status failed --since 7d +\d{4}-"
      When I call "svc view set failures --status failed,cancelled --tag 'team a'"
      Then standard error has "Replaced view failures"
      When I call "svc view show failures"
      Then standard output has "--status failed,cancelled --tag 'team a'"
      And standard output lacks "7d"
      When I send "GET" to "{scoped}/views/failures"
      Then "filter.status" of the answer is "failed,cancelled"
      And "private" of the answer is "false"
      When I call "svc view rm failures"
      Then standard error has "Removed view failures"
      When I call "svc runs ls --view failures"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc audit ls"
      Then standard output matches "view\.delete +failures"
      And standard output matches "view\.set +failures"

    @store
    Scenario: a flag that is not given does not replace a filter of the view
      When I call "svc submit --paused -" with standard input:
        """
        #!/bin/sh
        true
        """
      Then it exits with 0
      When I submit the script "runs-on.sh":
        """
        true
        """
      Then the run succeeds
      When I call "svc view set halted --paused"
      And I call "svc runs ls --view halted --json"
      Then standard output is JSON whose "runs.length" is "1"
      And standard output is JSON whose "runs.0.status" is "queued"
      When I call "svc runs export --view halted"
      Then standard output lacks "runs-on.sh"
      When I send "GET" to "{scoped}/runs?view=halted&paused=false"
      Then the answer has "runs-on.sh"
      When I call "svc runs cancel --paused --yes"
      Then it exits with 0

    Scenario: a list of views has pages
      When I call "svc view set first --tag a"
      And I call "svc view set second --tag b"
      And I send "GET" to "{scoped}/views?limit=1"
      Then "views.0.name" of the answer is "second"
      And "next_cursor" of the answer is noted as "more"
      When I send "GET" to "{scoped}/views?limit=1&cursor={more}"
      Then "views.0.name" of the answer is "first"
      And the answer lacks "next_cursor"

  Rule: A private view is seen by its author only, and hides the view of the project with its name

    @store
    Scenario: two members with private views
      Given a member "ana" with the role "member" and a token noted as "ana"
      And a member "ben" with the role "viewer" and a token noted as "ben"
      When I call "svc view set mine --tag of-ana --private" with "SVC_TOKEN" set to "{ana}"
      Then standard error has "Created private view mine"
      When I send "GET" to "{scoped}/views/mine" with the token "{ben}"
      Then the answer is 404 with code "not_found"
      When I call "svc view ls" with "SVC_TOKEN" set to "{ben}"
      Then standard output lacks "of-ana"
      When I call "svc runs ls --view mine" with "SVC_TOKEN" set to "{ben}"
      Then it exits with 1
      And standard error has "not_found"
      When I call "svc view set mine --tag of-all"
      And I call "svc view show mine" with "SVC_TOKEN" set to "{ben}"
      Then standard output has "of-all"
      When I call "svc view show mine" with "SVC_TOKEN" set to "{ana}"
      Then standard output has "of-ana"
      When I call "svc view rm mine --private"
      Then it exits with 1
      And standard error has "the project has one"
      When I call "svc view rm mine" with "SVC_TOKEN" set to "{ana}"
      Then it exits with 0
      When I call "svc view rm mine" with "SVC_TOKEN" set to "{ana}"
      Then it exits with 1
      And standard error has "svc view rm mine --private"
      When I call "svc view show mine" with "SVC_TOKEN" set to "{ana}"
      Then standard output has "of-ana"

    @store
    Scenario: the private views of a member who leaves are removed
      Given a member "cleo" with the role "member" and a token noted as "cleo"
      When I call "svc view set old --tag a --private" with "SVC_TOKEN" set to "{cleo}"
      And I call "svc view set kept --tag b" with "SVC_TOKEN" set to "{cleo}"
      And I call "svc member rm cleo --project {project}"
      And I call "svc member set cleo --role member --project {project}"
      And I call "svc view ls" with "SVC_TOKEN" set to "{cleo}"
      Then standard output has "kept"
      And standard output lacks "old"

    Scenario: a viewer uses views, and saves and removes none
      Given a member "vera" with the role "viewer" and a token noted as "vera"
      When I call "svc view set failures --status failed"
      And I call "svc runs ls --view failures" with "SVC_TOKEN" set to "{vera}"
      Then it exits with 0
      When I call "svc view set own --tag a --private" with "SVC_TOKEN" set to "{vera}"
      Then it exits with 1
      And standard error has "forbidden"
      When I call "svc view rm failures" with "SVC_TOKEN" set to "{vera}"
      Then it exits with 1
      And standard error has "forbidden"

  Rule: What a list of runs would reject is not saved, and neither is the value of a secret

    @store
    Scenario: a filter with the value of a secret
      Given the secret "TOKEN" is "hunter2canary77"
      When I call "svc view set leak --output 'value hunter2canary77 ends'"
      Then it exits with 1
      And standard error has "output contains the value of a secret"
      And standard error has "view_contains_secret"
      And standard error lacks "hunter2canary77"
      When I send "PUT" to "{scoped}/views/leak" with:
        """
        {"filter": {"status": "failed", "tag": "aHVudGVyMmNhbmFyeTc3"}}
        """
      Then the answer is 422 with code "view_contains_secret"
      And the answer has "/filter/tag"
      When I call "svc view ls"
      Then standard output lacks "leak"

    Scenario Outline: a filter with <that> is rejected
      When I send "PUT" to "{scoped}/views/refused" with:
        """
        {"filter": <filter>}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer has "<says>"
      When I send "GET" to "{scoped}/views/refused"
      Then the answer is 404 with code "not_found"

      Examples:
        | that                 | filter                 | says                               |
        | nothing              | {}                     | must have at least one member      |
        | a blank tag          | {"tag": " "}           | /filter/tag                        |
        | an empty workflow    | {"workflow": ""}       | workflow must not be blank         |
        | an unknown status    | {"status": "done"}     | /filter/status                     |
        | no time              | {"since": "yesterday"} | /filter/since                      |
        | no word              | {"output": "--- !"}    | /filter/output                     |
        | an unknown trigger   | {"trigger": "hook:x"}  | /filter/trigger                    |
        | a column             | {"columns": "tag"}     | columns                            |
        | another view         | {"view": "mine"}       | view                               |

    Scenario: names of views
      When I call "svc view set 'two words' --tag a"
      Then it exits with 1
      And standard error has "must be 1 to 63 letters, digits, _ and -"
      When I call "svc view set failed-deploys --status failed"
      And I call "svc runs ls --view failed-deplos"
      Then it exits with 1
      And standard error has "did you mean failed-deploys?"
      When I call "svc runs ls --view ''"
      Then it exits with 1
      And standard error has "view must have at least 1 character"
      When I call "svc view rm failed-deplos"
      Then it exits with 1
      And standard error has "did you mean failed-deploys?"
