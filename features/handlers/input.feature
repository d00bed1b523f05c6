Feature: Input of handler scripts

  Rule: The input file contains the whole envelope

    @HAND-026 @EVT-008 @DLV-008 @needs-python3
    Scenario: the envelope has the type, ID, key and payload
      Given the handler "look" on "deploy.done" runs "look.py":
        """
        import json, os, subprocess
        event = json.load(open(os.environ["SVC_INPUT_FILE"]))
        given = [f"{name}={value if isinstance(value, str) else json.dumps(value, sort_keys=True)}" for name, value in event.items()]
        subprocess.run(["svc", "output", "set", *given], check=True)
        """
      When somebody emits "deploy.done" with '{"key": "shop", "payload": {"n": [1, 2.5, null, "ü"], "deep": {"a": true}}}'
      Then the handler "look" succeeds
      And "output.type" of the run is "deploy.done"
      And "output.event" of the run is "{event}"
      And "output.key" of the run is "shop"
      And "output.trusted" of the run is "true"
      And "output.payload" of the run is '{"deep": {"a": true}, "n": [1, 2.5, null, "\u00fc"]}'

    @HAND-026 @EVT-008 @needs-python3
    Scenario: an event can have no key and no payload
      Given the handler "look" on "deploy.done" runs "look.py":
        """
        import json, os
        event = json.load(open(os.environ["SVC_INPUT_FILE"]))
        assert sorted(event) == ["event", "payload", "trusted", "type"] and event["payload"] is None, event
        """
      When somebody emits "deploy.done" with "{}"
      Then the handler "look" succeeds

    @HAND-027 @DLV-009 @needs-python3
    Scenario: a payload of almost 2 MiB arrives unchanged
      Given the handler "look" on "big" runs "look.py":
        """
        import hashlib, json, os, subprocess
        text = json.load(open(os.environ["SVC_INPUT_FILE"]))["payload"]
        digest = hashlib.sha256(text.encode()).hexdigest()
        subprocess.run(["svc", "output", "set", f"size={len(text)}", f"end={text[-3:]}", f"digest={digest}"], check=True)
        """
      When somebody emits "big" with a payload of 2000000 characters
      Then the handler "look" succeeds
      And "output.size" of the run is "2000000"
      And "output.end" of the run is "end"
      And "output.digest" of the run is "{digest}"

    @HAND-040
    Scenario: a handler cannot replace the input file
      When I send "PUT" to "{scoped}/handlers/look" with:
        """
        {"on": ["t"], "source": "true", "env": {"SVC_INPUT_FILE": "/dev/null"}}
        """
      Then the answer is 400 with code "invalid_request"
      And the answer names the faults "/env/SVC_INPUT_FILE"

  @contract
  Rule: `svc input` reads the payload

    @needs-python3
    Scenario: the payload is read in bash and both SDKs, next to the configured input
      Given the handler "bash" with '{"on": ["t.one"], "input": {"own": "configured"}, "args": ["first", "a b"]}' runs "look.sh":
        """
        svc output set customer="$(svc input customer)" id:="$(svc input order.id)" key="$(svc input key --envelope)" own="$(svc input input.own --envelope)" args="$#: $2"
        """
      And the handler "typescript" on "t.one" runs "look.ts":
        """
        import { data, output } from 'svc/sdk';
        await output.set({ customer: data('customer'), whole: data() });
        """
      And the handler "python" on "t.one" runs "look.py":
        """
        import svc_sdk as svc
        svc.output.set(customer=svc.data("customer"), whole=svc.data())
        """
      When somebody emits "t.one" with '{"key": "shop", "payload": {"customer": "Ana", "order": {"id": 820982911946154508}}}'
      Then the handler "bash" succeeds
      And "output.customer" of the run is "Ana"
      And "output.key" of the run is "shop"
      And "output.own" of the run is "configured"
      And "output.args" of the run is "2: a b"
      And the handler "typescript" succeeds
      And "output.customer" of the run is "Ana"
      And "output.whole.customer" of the run is "Ana"
      And the handler "python" succeeds
      And "output.customer" of the run is "Ana"
      And "output.whole.customer" of the run is "Ana"

  Rule: Scalar fields of the envelope are variables too

    @HAND-028 @HAND-029 @HAND-039 @SCR-039
    Scenario: type and id are variables, nested values are not
      Given the handler "look" with '{"on": ["deploy.done"], "env": {"OWN": "mine"}}' runs "look.sh":
        """
        test "$CI_TRIGGER_EVENT" = deploy.done
        grep -q "\"event\":\"$CI_TRIGGER_EVENT_ID\"" "$SVC_INPUT_FILE"
        test "$OWN" = mine
        env | sed -n 's/^\(CI_TRIGGER_[A-Z_]*\)=.*/\1/p' | sort > {folder}/names
        """
      When somebody emits "deploy.done" with '{"key": "shop", "payload": {"sha": "abc", "deep": {"a": 1}}}'
      Then the handler "look" succeeds
      And the file "names" is:
        """
        CI_TRIGGER_EVENT
        CI_TRIGGER_EVENT_ID
        """

    @HAND-037
    Scenario: a tick's schedule is available as a variable
      Given the handler "look" on "schedule.tick" runs "look.sh":
        """
        svc output set schedule="$CI_TRIGGER_SCHEDULE"
        """
      And the schedule "pulse" is '{"cron": "* * * * * *"}'
      When the last event of type "schedule.tick" is looked at
      Then the handler "look" succeeds
      And "output.schedule" of the run is "pulse"
      When the schedule "pulse" has ticked and is removed
      Then the project comes to rest

    @HAND-038
    Scenario: a spawned run's parent is available as a variable
      Given the handler "look" on "spawn" runs "look.sh":
        """
        svc output set parent="$CI_TRIGGER_PARENT"
        """
      And a file "child.sh":
        """
        true
        """
      When I submit the script "parent.sh":
        """
        svc spawn {folder}/child.sh
        """
      And "run_id" of the run is noted as "parent"
      And the last event of type "spawn" is looked at
      Then the handler "look" succeeds
      And "output.parent" of the run is "{parent}"
      And the project comes to rest

  Rule: A handler's settings apply to each of its runs

    @HAND-008
    Scenario: a handler's tags apply to its runs
      Given the handler "look" with '{"on": ["t"], "tags": ["team:core", "nightly"]}' runs "look.sh":
        """
        true
        """
      When somebody emits "t" with "{}"
      Then the handler "look" succeeds
      And "tags" of the run is '["team:core","nightly"]'

    @own-agent @HAND-009
    Scenario: a run waits for an agent with the required capabilities while other runs finish
      Given the handler "picky" with '{"on": ["u"], "requires": ["{project}"]}' runs "look.sh":
        """
        true
        """
      And the handler "easy" with '{"on": ["u"]}' runs "look.sh":
        """
        true
        """
      When somebody emits "u" with "{}"
      Then the handler "easy" succeeds
      When somebody emits "u" with "{}"
      Then the handler "easy" succeeds
      And the run of "picky" is "queued"
      Given 1 agents of its own
      Then the handler "picky" succeeds
      And the project comes to rest
      And the handler "picky" ran 2 times

    @contract
    Scenario: a script handler's run gets its credential
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-1-ab"}'
      And the handler "look" with '{"on": ["t"], "credentials": {"TOKEN": "bot"}}' runs "look.sh":
        """
        test "$TOKEN" = tok-1-ab
        """
      When somebody emits "t" with "{}"
      Then the handler "look" succeeds
      When I call "svc credential uses bot"
      Then standard output matches "^handler +look +TOKEN$"
