@contract
Feature: svc graph

  Background:
    Given a file "g.json":
      """
      {"version": "svc-graph/v1", "title": "A graph", "nodes": [
        {"id": "a", "type": "set", "config": {"values": {"$expr": "input.n"}}},
        {"id": "b", "type": "set", "config": {"values": 1}}], "edges": [{"from": "a", "to": "b"}]}
      """

  Rule: Graphs are saved in versions

    Scenario: a graph is saved, shown, listed and removed
      When I call "svc graph save g g.json"
      Then it exits with 0
      And standard error has "Saved graph g as version 1"
      When I call "svc graph save g g.json --json"
      Then standard output is JSON whose "version_number" is "1"
      Given a file "h.json":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "a", "type": "set", "config": {"values": 2}}], "edges": []}
        """
      When I call "svc graph save g h.json"
      Then standard error has "Saved graph g as version 2"
      When I call "svc graph versions g --json"
      Then standard output is JSON whose "versions.length" is "2"
      When I call "svc graph show g@1 --json"
      Then standard output is JSON whose "document.title" is "A graph"
      And standard output is JSON whose "version_number" is "1"
      When I call "svc graph show g --source"
      Then standard output has '"values": 2'
      When I call "svc graph ls"
      Then standard output matches "^g +2 "
      When I call "svc graph rm g"
      Then it exits with 0
      When I call "svc graph show g"
      Then it exits with 1
      And standard error has "no graph g"

    Scenario: graph problems are shown with their positions
      Given a file "bad.json":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "a", "type": "sett"}], "edges": [{"from": "a", "to": "x"}]}
        """
      When I call "svc graph save g bad.json"
      Then it exits with 1
      And standard error has "/nodes/0/type"
      And standard error has "/edges/0/to"

    Scenario: a file that is not JSON is rejected
      Given a file "text.json":
        """
        nodes:
        """
      When I call "svc graph save g text.json"
      Then it exits with 2
      And standard error has "text.json is not JSON"

    Scenario: a stored graph is submitted by name, in the latest or a given version
      When I call "svc graph save g g.json"
      And I call "svc submit --graph g@1 --input '{}' --follow"
      Then it exits with 1
      And standard error has "input.n"
      When I call "svc submit --node set --config '{}'"
      Then it exits with 1
      And standard error has "/config/values is required"

  Rule: Two graphs are compared by nodes and fields

    Scenario: a file is compared with a stored graph
      When I call "svc graph save g g.json"
      Given a file "h.json":
        """
        {"version": "svc-graph/v1", "nodes": [
          {"id": "a", "type": "set", "config": {"values": {"$expr": "input.m"}}, "retry": {"attempts": 2}},
          {"id": "c", "type": "delay", "config": {"for": "1s"}}], "edges": [{"from": "a", "to": "c"}]}
        """
      When I call "svc graph diff g h.json"
      Then it exits with 0
      And standard output is:
        """
        ~ node a: config.values {"$expr":"input.n"} → {"$expr":"input.m"}
        + node a: retry {"attempts":2}
        - node b "set"
        + node c "delay"
        - edge a → b
        + edge a → c
        - title "A graph"
        """
      When I call "svc graph diff g@1 g.json --exit-code"
      Then it exits with 0
      When I call "svc graph diff g@1 h.json --exit-code --json"
      Then it exits with 1
      And standard output is JSON whose "same" is "false"

    Scenario Outline: svc graph reports <what>
      Given a file "odd.json":
        """
        <content>
        """
      When I call "svc graph save g g.json"
      And I call "<command>"
      Then it exits with 2
      And standard error has "<message>"

      Examples:
        | what                     | content | command                     | message          |
        | a file with a list       | []      | svc graph diff odd.json g   | is not a graph      |
        | a file with null         | null    | svc graph diff g odd.json   | is not a graph      |
        | a file that is not JSON  | {       | svc graph save odd odd.json | is not JSON      |
        | a version after another  | {}      | svc graph show g@1@1        | does not contain a version |

  Rule: svc graph shows how graphs start and which nodes exist

    Scenario: a graph is published and unpublished
      Given a file "hook.json":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "in", "type": "trigger.webhook"}], "edges": []}
        """
      When I call "svc graph save hooked hook.json"
      And I call "svc graph publish hooked"
      Then it exits with 0
      And standard output matches "^address +http.*/api/v1/hooks/hook_"
      And standard output matches "^secret +\S{43}$"
      When I call "svc graph publish hooked@1"
      Then standard output lacks "secret"
      When I call "svc graph unpublish hooked"
      Then it exits with 0
      And standard error has "Unpublished graph hooked"

    Scenario: a trigger with a misspelt event type gets a warning
      Given a file "paid.json":
        """
        {"version": "svc-graph/v1",
         "nodes": [{"id": "in", "type": "trigger.event", "config": {"on": ["order.piad", "order.*"]}},
                   {"id": "n", "type": "set", "config": {"values": 1}}],
         "edges": [{"from": "in", "to": "n"}]}
        """
      When I emit "order.paid"
      And I call "svc graph save paid paid.json"
      And I call "svc graph publish paid"
      Then it exits with 0
      And standard error has "warning: this project has no order.piad event yet; did you mean `order.paid`?"

    Scenario: node types are listed with their schemas
      When I call "svc graph types"
      Then standard output matches "^fan_out +Runs a node for each item in a list"
      When I call "svc graph types event --json"
      Then standard output is JSON whose "config.required.0" is "event"
      When I call "svc graph types evnt"
      Then it exits with 2
