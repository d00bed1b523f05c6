@contract
Feature: svc wait-any waits for the first of several signals, events and asks

  Rule: The result is the first signal or event, or the timeout

    Scenario: an event comes first, and the signal is not consumed
      When I submit the script "first.sh":
        """
        first=$(svc wait-any signal:approved event:order.paid timeout:10m)
        svc step tell -- echo "$first"
        svc wait-signal approved
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I call "svc explain {run}"
      Then standard output has "It is waiting for the first of signal:approved and event:order.paid."
      And standard output has "svc signal {run} approved"
      When I call "svc emit order.paid"
      Then the run waits for "signal" "approved"
      And the log has '{"first":"event","name":"order.paid","event":{'
      When I send the signal "approved" with "8"
      Then the run succeeds
      And the log has "8"

    Scenario: a signal that was sent before the wait comes first
      When I submit the script "sent.sh":
        """
        svc wait-signal go
        svc wait-any event:order.paid signal:approved
        """
      Then the run waits for "signal" "go"
      When I send the signal "approved" with "5"
      And I send the signal "go" with "null"
      Then the run succeeds
      And the log has '{"first":"signal","name":"approved","payload":5}'

    Scenario: the timeout passes first
      When I submit the script "late.sh":
        """
        svc wait-any signal:approved event:order.paid timeout:50ms
        """
      Then the run succeeds
      And the log has '{"first":"timeout"}'

    Scenario: a waiting run is cancelled without leftovers
      When I submit the script "cancelled.sh":
        """
        svc wait-any signal:approved event:order.paid
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I cancel the run because "not needed"
      Then the run is "cancelled"
      When I call "svc emit order.paid"
      Then it exits with 0

    Scenario: a different list at the same position is a different call
      When I submit the script "other.sh":
        """
        if test -e {folder}/second; then svc wait-any signal:b; else touch {folder}/second; svc wait-any signal:a; fi
        """
      Then the run waits for "any" "signal:a"
      When I send the signal "a" with "1"
      Then the run fails with code "determinism_violation"

    Scenario: an event counts only if its predicate accepts it
      When I submit the script "paid.sh":
        """
        svc wait-any signal:stop event:order.paid event:order.gone --var id:=7 --var why=sold \
          --when order.paid='event.payload.id == vars.id && event.payload.run == run.id' \
          --when order.gone='event.payload.why == vars.why'
        """
      Then the run waits for "any" "signal:stop event:order.paid event:order.gone"
      When I emit "order.paid" with '{"id": 7, "run": "another"}'
      And I emit "order.gone" with '{"why": "lost"}'
      Then the run waits for "any" "signal:stop event:order.paid event:order.gone"
      When I emit "order.gone" with '{"why": "sold"}'
      Then the run succeeds
      And the log has '{"first":"event","name":"order.gone","event":{'

    Scenario: an invalid or unused predicate is rejected
      When I submit the script "wrong-when.sh":
        """
        svc wait-any event:a --when 'event.payload.id == 7' || svc wait-any event:a --when b=true ||
          svc wait-any event:a --when a=true --when a=false || svc wait-any event:a --var id=7 ||
          svc wait-any event:a --when 'a=event.payload.'
        """
      Then the run fails with code "script_failed"
      And the log has "--when takes <type>=<expression>"
      And the log has "--when contains the event b, which is not waited for; add event:b"
      And the log has "--when is given twice for the event a"
      And the log has "--var needs --when"
      And the log has "expression_invalid"

    Scenario: an invalid list is rejected
      When I submit the script "wrong.sh":
        """
        svc wait-any || svc wait-any timeout:1s || svc wait-any signal:a signal:a || svc wait-any approved ||
          svc wait-any signal:event:x || svc wait-any 'event:no type'
        """
      Then the run fails with code "script_failed"
      And the log has "there is nothing to wait for"
      And the log has "signal:a is given twice"
      And the log has "is not signal:<name>, event:<type>, ask:<name> or timeout:<duration>"
      And the log has "are reserved for the engine"

  Rule: The SDKs wait in the same way

    Scenario: TypeScript
      When I submit the script "any.ts":
        """
        import { output, waitAny } from 'svc/sdk';
        const order = { type: 'order.paid', when: 'event.payload.id == vars.id' };
        const first = await waitAny({ signals: 'approved', events: [order], vars: { id: 7 }, timeout: '10m' });
        const late = await waitAny({ signals: 'never', timeout: 50 });
        await output.set({ first, late });
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I emit "order.paid" with '{"id": 8}'
      And I emit "order.paid" with '{"id": 7}'
      Then the run succeeds
      And "output.first.event.payload.id" of the run is "7"
      And "output.late.first" of the run is "timeout"

    Scenario: Python
      When I submit the script "any.py":
        """
        from svc_sdk import output, wait_any
        order = {"type": "order.paid", "when": "event.payload.id == vars.id"}
        first = wait_any(signals="approved", events=[order], vars={"id": 7}, timeout="10m")
        late = wait_any(signals="never", timeout=0.05)
        output.set(first=first, late=late)
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I send the signal "approved" with "7"
      Then the run succeeds
      And "output.first.payload" of the run is "7"
      And "output.late.first" of the run is "timeout"

  Rule: Documents wait in the same way

    @store
    Scenario: a job of a pipeline waits for the first of several things
      When I submit the pipeline with '{"input": {"order": 7}}':
        """
        outputs: { first: "${{ jobs.decision.outputs.first }}", by: "${{ jobs.decision.outputs.event.payload.by }}" }
        jobs:
          plan:
            steps: [{ id: make, run: "svc output set version=4" }]
            outputs: { version: "${{ steps.make.output.version }}" }
          decision:
            needs: plan
            wait_for_any:
              - signal: stop
              - event: order.paid
                when: ${{ event.payload.order == input.order && event.payload.version == jobs.plan.outputs.version }}
              - timeout: 10m
        """
      Then the run waits for "any" "signal:stop event:order.paid"
      When I call "svc explain {run}"
      Then standard output has "waiting for the first of signal:stop and event:order.paid"
      And standard output has 'with input = {"order":7}, jobs = {"plan":{"outputs":{"version":"4"}}}'
      And standard output has "svc signal {run} stop"
      When I emit "order.paid" with '{"order": 7, "version": "3", "by": "ann"}'
      And I call "svc explain {run}"
      Then standard output matches "declined the event evt_.*: the predicate is false"
      And I emit "order.paid" with '{"order": 7, "version": "4", "by": "zoe"}'
      Then the run succeeds
      And "output" of the run is '{"first":"event","by":"zoe"}'

    Scenario: a timeout in the list is a result, and the job's own timeout is a failure
      When I submit the pipeline:
        """
        outputs: { first: "${{ jobs.asked.outputs.first }}" }
        jobs:
          asked: { wait_for_any: [{ signal: go }, { ask: price }, { timeout: 50ms }], timeout: 10m }
        """
      Then the run succeeds
      And "output.first" of the run is "timeout"
      When I submit the pipeline:
        """
        jobs: { asked: { wait_for_any: [{ signal: go }], timeout: 50ms } }
        """
      Then the run fails with code "wait_timeout"

    Scenario: a node of a graph waits for the first of several things
      When I run the graph:
        """
        {"nodes": [
          {"id": "name", "type": "set", "config": {"values": "approved"}},
          {"id": "first", "type": "wait_any", "config": {"for": [
            {"signal": {"$expr": "nodes.name.output"}},
            {"event": "order.paid", "when": "event.payload.run == run.id"},
            {"timeout": "1h"}]}},
          {"id": "which", "type": "switch", "config": {"on": "nodes.first.output.first", "cases": ["signal", "event"]}},
          {"id": "yes", "type": "set", "config": {"values": {"$expr": "nodes.first.output.payload"}}}],
         "edges": [{"from": "name", "to": "first"}, {"from": "first", "to": "which"}, {"from": "which", "to": "yes", "when": "signal"}]}
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I emit "order.paid" with '{"run": "another"}'
      And I send the signal "approved" with '{"by": "ann"}'
      Then the run succeeds
      And "output" of the run is '{"by":"ann"}'
      When I run the graph:
        """
        {"nodes": [{"id": "first", "type": "wait_any", "timeout": "10m", "config": {"for": [{"signal": "go"}, {"timeout": {"$expr": "'5' + '0ms'"}}]}}]}
        """
      Then the run succeeds
      And "output" of the run is '{"first":"timeout"}'
      When I run the graph:
        """
        {"nodes": [{"id": "first", "type": "wait_any", "config": {"for": [{"signal": {"$expr": "'event:' + 'x'"}}]}}]}
        """
      Then the run fails and its error has "/for/0/signal must not begin with event:"

    Scenario: a waiting node is cancelled without leftovers
      When I run the graph:
        """
        {"nodes": [{"id": "first", "type": "wait_any", "config": {"for": [{"signal": "go"}, {"event": "order.paid"}]}}]}
        """
      Then the run waits for "any" "signal:go event:order.paid"
      When I cancel the run because "not needed"
      Then the run is "cancelled"
      When I call "svc emit order.paid"
      Then it exits with 0

    Scenario: a list that cannot be waited for is rejected with its position
      When I send "PUT" to "{scoped}/graphs/g" with:
        """
        {"version": "svc-graph/v1", "nodes": [
          {"id": "a", "type": "wait_any", "config": {"for": [
            {"signal": "stop", "event": "b"}, {"signal": "go", "when": "true"}, {"signal": "go"}, {"event": "no type"},
            {"timeout": "soon"}, {"timeout": "1h"}]}},
          {"id": "b", "type": "wait_any", "config": {"for": [{"timeout": "1h"}]}},
          {"id": "c", "type": "wait_any", "config": {"for": [{"event": "x", "when": "event.payload. == 1"}, {"event": "y", "when": "nodes.none.output == 1"}]}},
          {"id": "d", "type": "wait_any", "config": {"for": [{"signal": "go", "more": 1}]}}]}
        """
      Then the answer is 422 with code "workflow_invalid"
      And the answer names the faults "/nodes/0/config/for/0 /nodes/0/config/for/1/when /nodes/0/config/for/2/signal /nodes/0/config/for/3/event /nodes/0/config/for/4/timeout /nodes/0/config/for/5/timeout /nodes/1/config/for /nodes/2/config/for/0/when /nodes/2/config/for/1/when /nodes/3/config/for/0/more"
      Given a file "wrong.yml":
        """
        jobs:
          a:
            wait_for_any:
              - { signal: "event:x" }
              - { event: order.paid, when: event.payload.id == input.id && }
              - { timeout: 0s }
          b: { wait_for_any: [{ ask: price, untrusted: true }], steps: [{ run: "true" }] }
          c: { wait_for_any: [{ signal: "${{ input.name }}" }] }
        """
      When I call "svc check wrong.yml"
      Then it exits with 1
      And standard output has "wrong.yml:4:19: must not begin with event:"
      And standard output matches "wrong.yml:5:.*unexpected"
      And standard output has "wrong.yml:6:20: must be more than 0"
      And standard output has "`wait_for_any` cannot be combined with `steps`"
      And standard output has "wrong.yml:8:"
