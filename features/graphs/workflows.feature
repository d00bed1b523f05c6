Feature: Workflows within graphs

  @contract
  Rule: A workflow node waits for a separate run

    Scenario: the output of a stored graph becomes the node's output
      Given I save the graph "inner":
        """
        {"nodes": [{"id": "a", "type": "shell", "config": {"script": "echo $((N * 2))", "env": {"N": {"$expr": "input.n"}}}}]}
        """
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "workflow", "config": {"graph": "inner", "input": {"n": 21}}},
                   {"id": "after", "type": "set", "config": {"values": {"$expr": "nodes.call.output + 1"}}}],
         "edges": [{"from": "call", "to": "after"}]}
        """
      Then the run succeeds
      And "output" of the run is "43"

    Scenario: a node runs a script and reports its failure
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "workflow", "config": {"filename": "job.sh", "source": "exit 4"}}]}
        """
      Then the run fails and its error has "node call: the run run_"
      And the run fails and its error has "exit code 4"

    Scenario: a called run ends when its caller ends
      Given I save the graph "held":
        """
        {"tags": ["called"], "nodes": [{"id": "wait", "type": "wait_signal", "config": {"name": "never"}}]}
        """
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "workflow", "config": {"graph": "held"}}]}
        """
      Then the run with the tag "called" is "waiting"
      When I cancel the run because "enough"
      Then the run with the tag "called" is "cancelled"

    @own-server
    Scenario: a cancellation reaches every level, even if the server is killed
      Given I save the graph "held":
        """
        {"tags": ["called"], "nodes": [{"id": "wait", "type": "wait_signal", "config": {"name": "never"}}]}
        """
      And I save the graph "middle":
        """
        {"tags": ["called"], "nodes": [{"id": "each", "type": "fan_out", "config": {"items": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
          "node": {"type": "workflow", "config": {"graph": "held"}}}}]}
        """
      When I run the graph:
        """
        {"nodes": [{"id": "each", "type": "fan_out", "config": {"items": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
          "node": {"type": "workflow", "config": {"graph": "middle"}}}}]}
        """
      Then each of 110 runs with the tag "called" is "waiting"
      When I cancel the run because "enough"
      And the server is killed
      And the server is started again
      Then each of 110 runs with the tag "called" is "cancelled"

  Rule: A workflow can be read from a repository

    @far-end @GRAPH-027
    Scenario: a graph and a script are read through the forge's API with the node's credential
      Given a far end that answers:
        | path                                  | status | type             | body                                                                                                                       |
        | /repos/acme/web/contents/ops/go.json  | 200    | application/vnd.github.raw+json; charset=utf-8 | {"version":"svc-graph/v1","nodes":[{"id":"a","type":"set","config":{"values":{"$expr":"input.n + 1"}}}],"edges":[]} |
        | /repos/acme/web/contents/ops/go.sh    | 200    | application/vnd.github.raw+json; charset=utf-8 | svc output set from=script                                                                                         |
      And the credential "forge" is '{"kind": "bearer", "token": "tok-canary-2"}'
      When I run the graph:
        """
        {"nodes": [
          {"id": "graph", "type": "workflow", "config": {"input": {"n": 1}, "from_repo": {
            "path": "ops/go.json", "repo": "acme/web", "credential": "forge", "api_base": "{far}", "ref": "main"}}},
          {"id": "script", "type": "workflow", "config": {"from_repo": {
            "path": "ops/go.sh", "repo": "acme/web", "credential": "forge", "api_base": "{far}"}}}]}
        """
      Then the run succeeds
      And "output.graph" of the run is "2"
      And "output.script.from" of the run is "script"
      And the far end got in any order:
        | method | path                                           | authorization       |
        | GET    | /repos/acme/web/contents/ops/go.json?ref=main  | Bearer tok-canary-2 |
        | GET    | /repos/acme/web/contents/ops/go.sh             | Bearer tok-canary-2 |
      And nobody can read "tok-canary-2" anywhere in the run

    @far-end @contract
    Scenario: a missing file fails the run
      Given a far end that answers:
        | path | status | body |
        | /    | 200    |      |
      And the credential "forge" is '{"kind": "bearer", "token": "tok-canary-3"}'
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "workflow", "config": {"from_repo": {
            "path": "none.sh", "repo": "acme/web", "credential": "forge", "api_base": "{far}"}}}]}
        """
      Then the run fails and its error has "/repos/acme/web/contents/none.sh answered 404"

    @far-end @contract
    Scenario: a missing file is data if the node allows it
      Given a far end that answers:
        | path | status | body |
        | /    | 200    |      |
      And the credential "forge" is '{"kind": "bearer", "token": "tok-canary-3"}'
      When I run the graph:
        """
        {"nodes": [{"id": "call", "type": "workflow", "continue_on_error": true, "config": {"from_repo": {
            "path": "none.sh", "repo": "acme/web", "credential": "forge", "api_base": "{far}"}}},
           {"id": "why", "type": "set", "config": {"values": {"$expr": "[nodes.call.status, nodes.call.error.message]"}}}],
         "edges": [{"from": "call", "to": "why"}]}
        """
      Then the run succeeds
      And "output" of the run matches "failed.*/repos/acme/web/contents/none.sh answered 404"

    @GRAPH-028
    Scenario Outline: path, repo and credential are required together: without <member>
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "edges": [],
         "nodes": [{"id": "call", "type": "workflow", "config": {"from_repo": <from_repo>}}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "/nodes/0/config/from_repo/<member>"

      Examples:
        | member     | from_repo                                |
        | path       | {"repo": "acme/web", "credential": "x"}  |
        | repo       | {"path": "a.sh", "credential": "x"}      |
        | credential | {"path": "a.sh", "repo": "acme/web"}     |
