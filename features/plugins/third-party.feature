@contract
Feature: Third-party plugins

  Rule: A third-party plugin can add what built-in plugins add

    @own-server @configured
    Scenario: a plugin adds a route, a durable verb and a variable for every job
      Given the clone is noted as "clone"
      And a server and an agent of their own with:
        | SVC_PLUGINS | {clone}/test/plugins/starter |
      When I send "GET" to "{scoped}/starter/apples"
      Then the answer is 200
      And "counted" of the answer is "0"
      When I send "GET" to "{scoped}/starter/apples" with the token "svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      Then the answer is 401 with code "not_authenticated"
      When I send "GET" to "/api/v1/openapi.json"
      Then the document describes:
        | get | /api/v1/orgs/{org}/projects/{project}/starter/{name} |
      When I submit the script "job.sh":
        """
        first=$(svc starter-count apples)
        svc wait-signal go >/dev/null
        echo "$first, counted by $STARTER_VERSION, then $(svc starter-count apples)"
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds
      And the log is:
        """
        1, counted by 1.0.0, then 2
        """
      And the recorded steps are:
        | kind          | site     | exit |
        | starter-count | apples#0 | 0    |
        | wait-signal   | go#0     | 0    |
        | starter-count | apples#1 | 0    |

    Scenario: a third-party plugin appears in the plugin tree in boot order
      Given the clone is noted as "clone"
      When I call "svc plugins" with "SVC_PLUGINS" set to "{clone}/test/plugins/starter"
      Then it exits with 0
      And standard output matches "\d+\. starter 1\.0\.0 \(.*/test/plugins/starter\)"
      And "scripts" stands before "starter" in it
      When I call "svc plugins --json"
      Then standard output is JSON with "plugins"
      And standard output lacks "starter"
