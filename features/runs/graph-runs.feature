@contract
Feature: Graph runs are shown, rerun and cancelled like others

  Background:
    Given a file "release.json":
      """
      {
        "version": "svc-graph/v1",
        "nodes": [
          {"id": "version", "type": "set", "config": {"values": {"v": {"$expr": "input.v"}}}},
          {"id": "build", "type": "shell", "config": {"script": "echo building; echo built >> {folder}/built"}},
          {"id": "parts", "type": "fan_out", "config": {"items": [1, 2], "node": {"type": "set", "config": {"values": {"$expr": "item * 2"}}}}},
          {"id": "approved", "type": "wait_signal", "config": {"name": "ship"}},
          {"id": "ship", "type": "shell", "config": {"script": "echo shipping; test -e {folder}/ready"}}
        ],
        "edges": [
          {"from": "version", "to": "build"}, {"from": "build", "to": "approved"}, {"from": "approved", "to": "ship"}
        ]
      }
      """
    And I call "svc graph save release {folder}/release.json"
    And I submit "--graph release --input '{\"v\": 3}'" with the CLI as "first"

  Rule: A graph run's steps are its nodes, and the log shows their names

    Scenario: svc steps shows nodes, items, outputs and what the run is waiting for
      Then the run waits for "signal" "ship"
      When I call "svc steps {run}"
      Then standard output matches "^version +set +succeeded"
      And standard output matches "^parts +fan_out +succeeded.* 2 of 2 items"
      And standard output matches "^approved +wait_signal +running.* waits for signal ship"
      And standard output matches "^ship +shell +waiting"
      When I call "svc steps {run} --node parts --output"
      Then standard output matches "^parts\[1\] .* 4$"
      When I call "svc steps {run} --json --output"
      Then standard output is JSON whose "steps.0.output.v" is "3"
      When I call "svc explain {run}"
      Then standard output has "The node approved has been waiting for the signal ship since"
      And standard output has "svc signal {run} ship"
      When I cancel the run because "nobody needs it"
      Then the run is "cancelled"

    Scenario: if several nodes write, each log line begins with its node's name
      Given a file "ready":
        """
        yes
        """
      Then the run waits for "signal" "ship"
      When I send the signal "ship" with "null"
      Then the run succeeds
      And the log is:
        """
        build | building
        ship | shipping
        """
      When I call "svc logs {run} --follow"
      Then standard output is:
        """
        build | building
        ship | shipping
        """

    Scenario: a single node's log looks like a script's log
      When I call "svc submit --node shell --config '{\"script\": \"echo hello\"}' --follow"
      Then it exits with 0
      And standard output is "hello"
      When I cancel the run because "nobody needs it"
      Then the run is "cancelled"

  Rule: A rerun from a node keeps the results before it

    Scenario: the failed node runs again with the graph of the first run
      Then the run waits for "signal" "ship"
      When I send the signal "ship" with "null"
      Then the run fails with code "script_failed"
      When I call "svc explain {run}"
      Then standard output has "svc rerun {run} --from ship"
      Given a file "ready":
        """
        yes
        """
      And a file "other.json":
        """
        {"version": "svc-graph/v1", "nodes": [{"id": "other", "type": "set", "config": {"values": 1}}]}
        """
      When I call "svc graph save release {folder}/other.json"
      And I rerun it from "ship" as "second"
      Then the run succeeds
      And "rerun_of" of the run is the run "first"
      And the file "built" has 1 line
      When I call "svc steps {run}"
      Then standard output matches "^build +shell +succeeded \(kept\)"
      And standard output matches "^ship +shell +succeeded "

    Scenario: an unknown node is rejected with a list of the known ones
      Then the run waits for "signal" "ship"
      When I cancel the run because "enough"
      Then the run is "cancelled"
      When I call "svc rerun {run} --from nowhere"
      Then it exits with 1
      And standard error has "its nodes are version, build, parts, approved, ship"

  Rule: A graph run is cancelled in the same way as a script run

    Scenario: a graph run is cancelled manually, and by an event named at submit
      Then the run waits for "signal" "ship"
      When I call "svc cancel {run} --reason 'wrong branch'"
      Then it exits with 0
      And the run is "cancelled"
      And "reason" of the run is "wrong branch"
      When I submit "--graph release --input '{\"v\": 4}' --cancel-on deploy.abort" with the CLI as "second"
      Then the run waits for "signal" "ship"
      When I call "svc emit deploy.abort"
      Then the run is "cancelled"
      And "cancelled_by.type" of the run is "deploy.abort"
      When I call "svc steps {run} --json"
      Then standard output is JSON whose "steps.4.state" is "cancelled"
