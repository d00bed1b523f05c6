Feature: Nodes of graphs

  Rule: Programs in nodes run on agents, and their output is the node's output

    @GRAPH-021 @GRAPH-022
    Scenario: a shell node reads variables
      When I submit over HTTP the graph with the input '{"n": 5}':
        """
        {"nodes": [{"id": "a", "type": "shell", "config": {
           "script": "printf '{\"n\": %s, \"braces\": \"{{ input.n }}\", \"list\": %s}' \"$N\" \"$LIST\"",
           "env": {"N": {"$expr": "input.n"}, "LIST": {"$expr": "[input.n, 'x']"}}}}]}
        """
      Then the run succeeds
      And "output" of the run is '{"n":5,"braces":"{{ input.n }}","list":[5,"x"]}'

    @GRAPH-019 @GRAPH-020
    Scenario Outline: a code node runs <language>
      When I run the graph:
        """
        {"nodes": [{"id": "a", "type": "code", "config": {<config>, "env": {"WHO": "you"}}}]}
        """
      Then the run succeeds
      And "output" of the run is "<output>"

      Examples:
        | language   | config                                                                            | output        |
        | JavaScript | "script": "console.log(`hello ${process.env.WHO}, {{ 1 }}`)"                      | hello you, {{ 1 }} |
        | TypeScript | "language": "typescript", "script": "const n: number = 4; console.log(n)"         | 4             |
        | Bash       | "language": "bash", "script": "echo \"$WHO\""                                     | you           |
        | a command  | "interpreter": "sed -n p", "script": "as it is"                                   | as it is      |

    @GRAPH-023 @GRAPH-024
    Scenario Outline: a <type> node gets credentials as variables
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-canary-1"}'
      When I run the graph:
        """
        {"nodes": [{"id": "a", "type": "<type>", "config": {"script": "<script>", "credentials": {"TOKEN": "bot"}}}]}
        """
      Then the run succeeds
      And "output" of the run is "12"
      And nobody can read "tok-canary-1" anywhere in the run

      Examples:
        | type  | script                                   |
        | shell | echo ${#TOKEN}                           |
        | code  | console.log(process.env.TOKEN.length)    |

    @SCR-029 @SCR-030
    Scenario: a step in a node keeps its key in every attempt, and a rerun can begin there
      When I run the graph:
        """
        {"nodes": [
          {"id": "a", "type": "shell", "config": {"script": "svc step pay -- sh -c 'echo $SVC_IDEMPOTENCY_KEY >> {folder}/keys'; svc step check -- test -e {folder}/second || { touch {folder}/second; exit 3; }"},
           "retry": {"attempts": 2, "backoff": "10ms"}},
          {"id": "b", "type": "shell", "config": {"script": "svc step pay -- sh -c 'echo $SVC_IDEMPOTENCY_KEY >> {folder}/keys'"}}]}
        """
      Then the run succeeds
      And the file "keys" has 3 lines
      And the file "keys" has 2 different lines
      When I rerun it from "a/check" as "second"
      Then the run succeeds
      And the file "keys" has 3 lines

    @contract
    Scenario: programs in nodes can call verbs, and nothing is repeated after a wait
      When I run the graph:
        """
        {"nodes": [{"id": "a", "type": "shell", "config": {
           "script": "svc step once -- sh -c 'echo ran >> {folder}/once; echo 1'\nsvc sleep 50ms\necho 2"}}]}
        """
      Then the run succeeds
      And "output" of the run is:
        """
        1
        2
        """
      And the file "once" has "ran"

  Rule: A graph can emit an event and wait for one

    @GRAPH-029 @EVT-007 @EVT-022
    Scenario: an emit node emits once and returns the event's ID
      When I submit over HTTP the graph with the input '{"n": 7}':
        """
        {"nodes": [{"id": "say", "type": "emit", "config": {
           "type": "thing.done", "key": "acme/web", "payload": {"n": {"$expr": "input.n"}}}}],
         "output": {"event": {"$expr": "nodes.say.output"}}}
        """
      Then the run succeeds
      And "output.event" of the run is noted as "event"
      And "type" of the event "{event}" is "thing.done"
      And there is 1 event "thing.done"
      And "payload" of the last event "thing.done" is '{"n":7}'
      And "key" of the last event "thing.done" is "acme/web"
      And "source" of the last event "thing.done" is "emit"

    @GRAPH-025 @DLV-004
    Scenario: an event node waits for a type
      When I run the graph:
        """
        {"nodes": [{"id": "wait", "type": "event", "config": {"event": "thing.came"}}],
         "output": {"$expr": "nodes.wait.output.payload"}}
        """
      Then the run waits for "event" "thing.came"
      When I emit "thing.else" with '{"no": 1}'
      And I emit "thing.came" with '{"yes": 1}'
      Then the run succeeds
      And "output" of the run is '{"yes":1}'

  @contract
  Rule: Other nodes need no agent

    Scenario: a node waits for a signal, with and without a timeout
      When I run the graph:
        """
        {"nodes": [{"id": "ask", "type": "wait_signal", "config": {"name": "answer", "timeout": "1h"}}]}
        """
      Then the run waits for "signal" "answer"
      When I send the signal "answer" with '{"ok": true}'
      Then the run succeeds
      And "output" of the run is '{"ok":true}'
      When I run the graph:
        """
        {"nodes": [{"id": "ask", "type": "wait_signal", "config": {"name": "answer", "timeout": "50ms"}}]}
        """
      Then the run fails with code "wait_timeout"

    Scenario: a fan-out runs its node for each item, a limited number at a time
      When I run the graph:
        """
        {"nodes": [{"id": "each", "type": "fan_out", "config": {
           "items": [1, 2, 3], "concurrency": 2,
           "node": {"type": "shell", "config": {"script": "echo $((N * 10))", "env": {"N": {"$expr": "item + index"}}}}}}]}
        """
      Then the run succeeds
      And "output" of the run is "[10,30,50]"

  @contract
  Rule: A graph can limit how many of its runs continue at a time

    Scenario: the limit applies to each value of the key, and a run waits for its turn before it starts
      When I run the graph:
        """
        {"concurrency": {"group": "graph-{{ run.trigger.type }}", "key": "run.trigger.type", "limit": 1},
         "nodes": [{"id": "ask", "type": "wait_signal", "config": {"name": "go"}}]}
        """
      And the run is called "first"
      Then the run waits for "signal" "go"
      When I run the graph:
        """
        {"concurrency": "graph-manual/manual", "nodes": [{"id": "done", "type": "set", "config": {"values": {"ok": true}}}]}
        """
      And the run is called "second"
      Then the run is "queued"
      And "substate.name" of the run is "graph-manual/manual"
      When I call "svc steps {run}"
      Then standard output lacks "_lease"
      When I look at the run "first"
      And I send the signal "go" with "null"
      Then the run succeeds
      When I look at the run "second"
      Then the run succeeds
      And nobody holds "graph-manual/manual"
