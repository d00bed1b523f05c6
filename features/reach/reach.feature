@store @contract
Feature: What an event could reach

  Rule: The reach of an event is read from the stored workflows, without running anything

    Scenario: a handler, the event that it emits, and what that starts
      Given the secret "TOKEN" is "hidden-value"
      And the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
      And the handler "first" with '{"on": ["order.*"], "when": "event.payload.ok == true"}' runs "first.sh":
        """
        svc lock orders -- true
        svc emit order-checked
        svc emit "$kind"
        """
      And the handler "second" with '{"on": ["order-checked"], "credentials": {"GH_TOKEN": "bot"}, "requires": ["gpu"]}' runs "second.sh":
        """
        true
        """
      When I call "svc reach order.paid --trusted"
      Then standard output is:
        """
        event order.paid
          from anybody who can emit events
          starts handler first: on order.* when event.payload.ok == true
            uses the secrets of the project: its programs get them
              uses secret TOKEN: is one of them
            uses lock orders: takes it
            emits event order-checked: emits order-checked
              starts handler second: on order-checked
                uses agent gpu: requires it
                uses credential bot: declares it
                uses the secrets of the project: its programs get them …
            hides unknown at first.sh:3: emits an event whose type is computed
        """
      When I call "svc reach order.paid"
      Then standard output is:
        """
        event order.paid (untrusted)
          from svc emit in an untrusted run
          starts handler first (untrusted): on order.* when event.payload.ok == true
            uses lock orders: takes it
            emits event order-checked (untrusted): emits order-checked
              starts handler second (untrusted): on order-checked
                rejected: untrusted_run_declares_credential: it declares credentials, so untrusted events start nothing
            hides unknown at first.sh:3: emits an event whose type is computed
        """
      When I call "svc reach order.paid --dot"
      Then standard output has "digraph reach"
      And standard output has "style=dashed"
      When I call "svc reach nothing.listens"
      Then standard output has "reaches nothing"
      When I call "svc reach order.paid --assert 'no workflow first.sh'"
      Then it exits with 1
      And standard error has "no workflow first.sh"
      When I call "svc reach order.paid --assert 'no workflow second.sh'"
      Then it exits with 0

    Scenario: the answer of the API is a graph
      Given the handler "first" with '{"on": ["order.paid"]}' runs "first.sh":
        """
        svc wait-event order.sent
        """
      When I send "GET" to "{scoped}/reach?type=order.paid&trusted=true"
      Then the answer is 200
      And "trusted" of the answer is "true"
      And "nodes.0.name" of the answer is "order.paid"
      And "nodes.2.kind" of the answer is "handler"
      And "nodes.2.link" of the answer matches "/handlers/first$"
      And "edges.1.relation" of the answer is "starts"
      And "truncated" of the answer is "[]"
      When I send "GET" to "{scoped}/reach?type=order.sent&trusted=true"
      Then "edges.1.relation" of the answer is "wakes"
      And "edges.1.why" of the answer is "waits for order.sent"
      When I send "GET" to "{scoped}/reach?type=order.paid&nodes=2"
      Then "truncated" of the answer is '["nodes"]'
      When I send "GET" to "{scoped}/reach?type=not%20valid"
      Then the answer is 400 with code "invalid_request"
      When I send "GET" to "{scoped}/reach"
      Then the answer is 400 with code "invalid_request"

    Scenario: graphs, the workflows that they run, and pipelines
      Given the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
      And the published graph "notify":
        """
        {"version": "svc-graph/v1", "nodes": [
          {"id": "say", "type": "team_chat.post_message", "config": {"with": {"channel": "ops"}, "input": {"text": "hello"}, "credential": "bot"}},
          {"id": "run", "type": "shell", "config": {"script": "svc lock site-$SITE -- true"}},
          {"id": "tell", "type": "emit", "config": {"type": "notified"}}]}
        """
      And the published graph "release":
        """
        {"version": "svc-graph/v1", "concurrency": "release", "nodes": [
          {"id": "go", "type": "trigger.event", "config": {"on": "release.*"}},
          {"id": "call", "type": "workflow", "config": {"graph": "notify"}},
          {"id": "any", "type": "workflow", "config": {"graph": {"$expr": "input.payload.graph"}}},
          {"id": "more", "type": "workflow", "config": {"filename": "ci.yml", "source": "cancel_on: [stop]\njobs: { one: { requires: [mac], steps: [{ run: svc emit built }] } }\n"}}],
         "edges": [{"from": "go", "to": "call"}, {"from": "go", "to": "more"}, {"from": "go", "to": "any"}]}
        """
      When I call "svc reach release.now --trusted"
      Then standard output has "starts handler graph.release.go: on release.*"
      And standard output has "calls graph release: runs release"
      And standard output has "uses lock release: takes it"
      And standard output has "calls graph notify: runs notify in node call"
      And standard output has "uses connector team_chat: sends a request with it in node say"
      And standard output has "uses credential bot: declares it in node say"
      And standard output has "emits event notified: emits notified in node tell"
      When I call "svc reach release.now --trusted --assert 'no lock site-berlin'"
      Then it exits with 1
      When I call "svc reach release.now --trusted --assert 'no lock shop-berlin'"
      Then it exits with 0
      When I call "svc reach release.now --trusted"
      And standard output has "calls workflow ci.yml: runs ci.yml in node more"
      And standard output has "uses agent mac: requires it in job one"
      And standard output has "emits event built: emits built in job one"
      And standard output matches "unknown at release:\d+, node any: runs a workflow whose name is computed"
      When I call "svc reach stop --trusted"
      Then standard output has "cancels workflow ci.yml: cancel_on stop"

  Rule: An untrusted event reaches what the rules of trust let it reach

    @needs-cc
    Scenario: a real run of a stranger gets exactly what reach says
      Given the secret "TOKEN" is "hidden-value"
      And the secret "OTHER" is "other-value"
      And the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
      And the handler "looks" with '{"on": ["forge.pull_request"]}' runs "looks.sh":
        """
        echo "secrets: $(env | grep -c -e '^TOKEN=' -e '^OTHER=' || true)"
        """
      And the handler "armed" with '{"on": ["forge.pull_request"], "credentials": {"GH_TOKEN": "bot"}}' runs "armed.sh":
        """
        true
        """
      When a fork opens a pull request
      Then the handler "looks" succeeds
      And "trusted" of the run is "false"
      And the log is:
        """
        secrets: 0
        """
      And the project comes to rest
      And the handler "armed" ran 0 times
      When I call "svc reach forge.pull_request --assert 'no secret' --assert 'no credential' --assert 'no unknown'"
      Then it exits with 0
      And standard output has "from webhook forked"
      And standard output has "rejected: untrusted_run_declares_credential"
      And standard output lacks "secret TOKEN"
      When I call "svc reach forge.pull_request --trusted --assert 'no secret OTHER'"
      Then it exits with 1
      And standard error has "no secret OTHER"

    @needs-cc
    Scenario: a job with a credential fails in a stranger's run, as reach says
      Given the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
      When a fork runs the pipeline as "forked":
        """
        jobs: { one: { credentials: { GH_TOKEN: bot }, steps: [{ run: "true" }] } }
        """
      Then the run fails with code "untrusted_run_declares_credential"
      When I call "svc reach forge.pull_request --assert 'no credential bot'"
      Then it exits with 0
      And standard output has "uses credential bot: declares it in job one"
      And standard output has "rejected: untrusted_run_declares_credential"

    @needs-cc
    Scenario: a stranger's pull request wakes a trusted run, which has secrets
      Given the secret "TOKEN" is "hidden-value"
      And the handler "waits" with '{"on": ["begin"]}' runs "waits.sh":
        """
        svc wait-event forge.pull_request
        echo "secrets: $(env | grep -c '^TOKEN=')"
        """
      When somebody emits "begin" with "{}"
      Then the run of "waits" is "waiting"
      And the run waits for "event" "forge.pull_request"
      When a fork opens a pull request
      Then the run succeeds
      And the log has "secrets: 1"
      When I call "svc reach forge.pull_request --assert 'no secret'"
      Then it exits with 1
      And standard error has "wakes handler waits: waits for forge.pull_request"
      And standard error has "uses secret TOKEN: is one of them"

    Scenario: what an untrusted run emits wakes trusted runs only if they accept it
      Given the secret "TOKEN" is "hidden-value"
      And the handler "waits" with '{"on": ["begin"]}' runs "waits.sh":
        """
        svc wait-event asked
        """
      When I call "svc reach asked --assert 'no secret'"
      Then it exits with 0
      And standard output has "wakes handler waits (untrusted): waits for asked (only its untrusted runs)"
      Given the handler "waits" with '{"on": ["begin"]}' runs "waits.sh":
        """
        svc wait-event asked --untrusted
        """
      When I call "svc reach asked --assert 'no secret'"
      Then it exits with 1
      Given the handler "waits" with '{"on": ["asked"], "when": "event.trusted"}' runs "waits.sh":
        """
        true
        """
      When I call "svc reach asked --assert 'no workflow waits'"
      Then it exits with 0
      And standard output has "rejected: its predicate declines the event"

  Rule: An assertion fails with the path to what it forbids

    Scenario: assertions
      Given the credential "bot" is '{"kind": "bearer", "token": "hidden-token"}'
      And the handler "first" with '{"on": ["order.paid"], "credentials": {"GH_TOKEN": "bot"}}' runs "first.sh":
        """
        ./build.sh
        """
      When I call "svc reach order.paid --trusted --assert 'no credential bot' --assert 'no agent gpu'"
      Then it exits with 1
      And standard error has "starts handler first: on order.paid"
      And standard error has "uses credential bot: declares it"
      And standard error lacks "no agent gpu"
      When I call "svc reach order.paid --trusted --assert 'no credential other' --assert 'no account'"
      Then it exits with 0
      And standard error has "1 thing is unknown"
      When I call "svc reach order.paid --trusted --assert 'no unknown'"
      Then it exits with 1
      And standard error has "unknown at first.sh:1: starts ./build.sh, which svc does not read"
      When I call "svc reach order.paid --trusted --assert 'no credential' --json"
      Then it exits with 1
      And standard output is JSON whose "violations.0.assertion" is "no credential"
      When I call "svc reach order.paid --assert 'no passwords'"
      Then it exits with 2
      And standard error has "use one of: no secret [<name>], no credential [<name>]"
      When I call "svc reach order.paid --trusted --untrusted"
      Then it exits with 2
