Feature: svc call runs a node or a graph and waits for it

  Background:
    Given a file "sum.json":
      """
      {
        "version": "svc-graph/v1",
        "nodes": [
          {"id": "pause", "type": "delay", "config": {"for": "50ms"}},
          {"id": "sum", "type": "set", "config": {"values": {"sum": {"$expr": "input.a + input.b"}}}}
        ],
        "edges": [{"from": "pause", "to": "sum"}]
      }
      """

  Rule: A script waits for the run that it called and gets its output

    @VERB-035 @VERB-040
    Scenario: a script calls a node with a config
      When I submit the script "job.sh":
        """
        echo "a pass begins" >> {folder}/passes
        pause=$(svc call node delay --config '{"for": "50ms"}')
        out=$(svc call node set --config '{"values": {"n": [1, 2]}}')
        svc output set out:="$out" pause:="$pause"
        """
      Then the run succeeds
      And "output" of the run is '{"out":{"n":[1,2]},"pause":null}'
      And the file "passes" has 2 lines
      And the recorded steps are:
        | site         | kind | exit | stdout        |
        | node delay#0 | call | 0    | null\n        |
        | node set#0   | call | 0    | {"n":[1,2]}\n |
      When I send "GET" to "{scoped}/runs?workflow=delay"
      Then the answer lists 1 "runs"
      And "runs.0.kind" of the answer is "node"
      And "runs.0.parent" of the answer is "{run}"

    @VERB-036 @VERB-037 @VERB-040
    Scenario: a script calls a stored graph with an input
      When I call "svc graph save sum {folder}/sum.json"
      Then it exits with 0
      When I submit the script "job.sh":
        """
        svc output set made:="$(svc call graph sum --input '{"a": 2, "b": 3}')"
        """
      Then the run succeeds
      And "output" of the run is '{"made":{"sum":5}}'
      When I send "GET" to "{scoped}/runs?workflow=sum"
      Then the answer lists 1 "runs"
      And "runs.0.parent" of the answer is "{run}"
      And "runs.0.trigger.type" of the answer is "spawn"

    @VERB-038 @VERB-039 @VERB-040
    Scenario: a definition is read from a file or standard input
      When I submit the script "job.sh":
        """
        first=$(svc call graph --definition {folder}/sum.json --input '{"a": 1, "b": 1}')
        rm -f {folder}/sum.json
        second=$(svc call graph --definition - --input '{"a": 2, "b": 2}' <<'END'
        {"version": "svc-graph/v1", "nodes": [{"id": "x", "type": "set", "config": {"values": {"$expr": "input.a * 10"}}}]}
        END
        )
        svc sleep 50ms
        svc output set first:="$first" second:="$second"
        """
      Then the run succeeds
      And "output" of the run is '{"first":{"sum":2},"second":20}'

    @contract
    Scenario: while it waits, the script has no process, and its status shows the called run
      When I submit the script "job.sh" as "caller":
        """
        svc call node wait_signal --config '{"name": "go"}'
        """
      Then the run waits for "child" "node wait_signal"
      And "substate.run_id" of the run is noted as "called"
      When I call "svc explain {run}"
      Then standard output has "svc explain {called}"
      When I look at the spawned run "{called}"
      Then the run waits for "signal" "go"
      When I send the signal "go" with '{"by":"ana"}'
      And I look at the run "caller"
      Then the run succeeds
      And the log is:
        """
        {"by":"ana"}
        """

  @contract
  Rule: A call fails if its run does not succeed, and a cancellation reaches the called run

    Scenario: a failed call exits with 1 and the reason, and the script can continue
      When I submit the script "job.sh":
        """
        code=0
        svc call node shell --config '{"script": "echo broken >&2; exit 7"}' || code=$?
        svc output set code:="$code"
        """
      Then the run succeeds
      And "output" of the run is '{"code":1}'
      And the log has "(script_failed)"

    Scenario: a graph that does not exist is rejected with its position
      When I submit the script "job.sh":
        """
        svc call graph nowhere
        """
      Then the run fails with code "script_failed"
      And the log has "the project has no graph nowhere"

    Scenario: cancelling a script also cancels the runs that it called
      When I submit the script "job.sh" as "caller":
        """
        svc call node wait_signal --config '{"name": "go"}'
        """
      Then the run waits for "child" "node wait_signal"
      And "substate.run_id" of the run is noted as "called"
      When I cancel the run because "enough"
      And I look at the spawned run "{called}"
      Then the run is "cancelled"

  @contract
  Rule: Outside a script, the same command submits the run and waits

    Scenario: only the output is printed
      When I call "svc call node set --config '{\"values\": {\"a\": 1}}'"
      Then it exits with 0
      And standard output is '{"a":1}'
      When I call "svc call graph --definition {folder}/sum.json --input '{\"a\": 1, \"b\": 2}'"
      Then it exits with 0
      And standard output is '{"sum":3}'
      When I call "svc call node set --config '{\"values\": 1}' --json"
      Then standard output is JSON whose "status" is "succeeded"

    Scenario: a failed run exits with 1, and a missing name with 2
      When I call "svc call node shell --config '{\"script\": \"exit 3\"}'"
      Then it exits with 1
      And standard output is ""
      And standard error has "script_failed"
      When I call "svc call graph"
      Then it exits with 2
