@contract
Feature: Plugins of third parties

  Rule: A third-party plugin can add what built-in plugins add

    @own-server @configured
    Scenario: a route, a durable verb and a variable for every job
      Given the clone is noted as "clone"
      And a server and an agent of their own with:
        | SVC_PLUGINS | {clone}/test/plugins/greeter |
      When I send "GET" to "{scoped}/greetings/ana"
      Then the answer is 200
      And "greeting" of the answer is "Hello ana, this is {project}"
      When I send "GET" to "{scoped}/greetings/ana" with the token "svc_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
      Then the answer is 401 with code "not_authenticated"
      When I send "GET" to "/api/v1/openapi.json"
      Then the document describes:
        | get | /api/v1/orgs/{org}/projects/{project}/greetings/{name} |
      When I submit the script "job.sh":
        """
        first=$(svc greet ana)
        svc wait-signal go >/dev/null
        [ -n "$GREETER_PROJECT" ] && echo "$first in a project"
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds
      And the log is:
        """
        Hello ana from {run} in a project
        """
      And the recorded steps are:
        | kind        | site  | exit |
        | greet       | ana#0 | 0    |
        | wait-signal | go#0  | 0    |

    Scenario: it appears in the plugin tree in boot order
      Given the clone is noted as "clone"
      When I call "svc plugins" with "SVC_PLUGINS" set to "{clone}/test/plugins/greeter"
      Then it exits with 0
      And standard output matches "\d+\. greeter 1\.0\.0 \(.*/test/plugins/greeter\)"
      And "scripts" stands before "greeter" in it
      When I call "svc plugins --json"
      Then standard output is JSON with "plugins"
      And standard output lacks "greeter"
