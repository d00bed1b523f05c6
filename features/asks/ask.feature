@contract
Feature: svc ask sends an ask to a run and prints the answer

  Rule: A run takes an ask with svc wait-ask, and answers it with svc answer

    @store
    Scenario: the caller gets the run's answer
      When I submit the script "price.sh":
        """
        ask=$(svc wait-ask price)
        echo "asked: $ask"
        svc answer "$ask" '{"price": 12.50}'
        svc wait-signal done
        """
      Then the run waits for "ask" "price"
      When I call "svc explain {run}"
      Then standard output has "It is waiting until somebody asks price."
      And standard output has "svc ask {run} price"
      When I call "svc ask {run} price seven"
      Then it exits with 2
      And standard error has "<payload> is not JSON"
      When I call "svc ask {run} price 7"
      Then it exits with 0
      And standard output matches "^.\"price\":12.50?.$"
      And the run waits for "signal" "done"
      When I send the signal "done" with "null"
      Then the run succeeds
      And the log has ',"by":"tester","payload":7}'
      And the log has "answered"
      When I call "svc asks {run}"
      Then standard output matches "ask_\S+ +price +answered +tester"
      When I call "svc audit ls --action run.ask"
      Then standard output has "{run}"

    @store
    Scenario: an ask sent before the wait is queued, and a repeat with the same key returns the first ask
      When I submit the script "queue.sh":
        """
        svc wait-signal go
        for turn in 1 2; do
          ask=$(svc wait-ask turn)
          echo "${ask##*,}"
          svc answer "$ask" "$turn"
        done
        """
      Then the run waits for "signal" "go"
      When I call "svc ask {run} turn 1 --no-wait"
      And I call "svc ask {run} turn 2 --no-wait --idempotency-key two --json"
      Then it exits with 0
      And standard output is JSON whose "ask_id" is noted as "ask"
      When I call "svc ask {run} turn 3 --no-wait --idempotency-key two"
      Then standard output is "{ask}"
      When I send the signal "go" with "0"
      Then the run succeeds
      And the log is:
        """
        0
        "payload":1}
        answered
        "payload":2}
        answered
        """
      When I send "GET" to "{scoped}/runs/{run}/asks/{ask}"
      Then the answer is 200
      And "state" of the answer is "answered"
      And "answer" of the answer is "2"
      When I call "svc ask {run} turn 3 --no-wait --idempotency-key two"
      Then standard output is "{ask}"

    Scenario: a request that waits is answered as soon as the run has answered
      When I submit the script "slow.sh":
        """
        ask=$(svc wait-ask price)
        svc wait-signal go
        svc answer "$ask" - <<<'"dear"'
        """
      Then the run waits for "ask" "price"
      When I begin to send "POST" to "{scoped}/runs/{run}/asks?wait=10m" with:
        """
        {"name": "price", "payload": {"sku": "a1"}, "timeout": "1h"}
        """
      Then the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then that request is answered with 201
      And "state" of the answer is "answered"
      And "answer" of the answer is "dear"
      And the run succeeds

    Scenario: secret values in an answer are masked
      Given the secret "TOKEN" is "tok-4711-abc"
      When I submit the script "tell.sh":
        """
        ask=$(svc wait-ask token)
        svc answer "$ask" "\"it is $TOKEN\""
        """
      Then the run waits for "ask" "token"
      When I call "svc ask {run} token"
      Then standard output has "it is ***"
      And the run succeeds

  Rule: An ask has its own timeout, and ends with its run

    Scenario: the timeout passes without an answer, and a later answer is recorded as too late
      When I submit the script "late.sh":
        """
        ask=$(svc wait-ask price)
        svc wait-signal go
        svc answer "$ask" 1
        echo "went on"
        """
      Then the run waits for "ask" "price"
      When I call "svc ask {run} price --timeout 300ms"
      Then it exits with 124
      And standard error has "the run took the ask but did not answer it"
      And the run waits for "signal" "go"
      When I send the signal "go" with "null"
      Then the run succeeds
      And the log has "timed_out"
      And the log has "went on"
      And the log has "nobody gets the answer"

    @store
    Scenario: an ask that timed out in the queue is not taken
      When I submit the script "skipped.sh":
        """
        svc wait-signal go
        svc wait-ask price --timeout 50ms || echo "exit $?"
        """
      Then the run waits for "signal" "go"
      When I call "svc ask {run} price --timeout 100ms"
      Then it exits with 124
      And standard error has "nothing in the run waited for the ask"
      When I send the signal "go" with "null"
      Then the run succeeds
      And the log has "exit 124"

    @store
    Scenario: the run ends without an answer
      When I submit the script "gone.sh":
        """
        svc wait-ask price
        svc wait-signal go
        """
      Then the run waits for "ask" "price"
      When I begin to send "POST" to "{scoped}/runs/{run}/asks?wait=10m" with:
        """
        {"name": "price"}
        """
      Then the run waits for "signal" "go"
      When I cancel the run because "not needed"
      Then that request is answered with 201
      And "state" of the answer is "run_ended"
      When I send "POST" to "{scoped}/runs/{run}/asks" with:
        """
        {"name": "price"}
        """
      Then the answer is 409 with code "run_finished"

  Rule: An ask is answered once

    Scenario: a second answer and an unknown ask are recorded as failures
      When I submit the script "twice.sh":
        """
        ask=$(svc wait-ask price)
        svc answer "$ask" 1
        svc answer "$ask" 2 || echo "second: $?"
        svc answer ask_unknown 2 || echo "unknown: $?"
        svc answer "$ask" '{' || echo "no JSON: $?"
        """
      Then the run waits for "ask" "price"
      When I call "svc ask {run} price"
      Then standard output is "1"
      And the run succeeds
      And the log has "second: 1"
      And the log has "has been answered already"
      And the log has "unknown: 1"
      And the log has "no JSON: 2"

    Scenario: an invalid or unknown ask is rejected
      When I submit the script "wrong.sh":
        """
        svc wait-ask price
        """
      Then the run waits for "ask" "price"
      When I send "POST" to "{scoped}/runs/{run}/asks" with:
        """
        {"name": "price", "timeout": "31d"}
        """
      Then the answer is 400 with code "invalid_request"
      And "errors.0.pointer" of the answer is "/timeout"
      When I send "POST" to "{scoped}/runs/{run}/asks" with:
        """
        {"name": "two\nlines"}
        """
      Then the answer is 400 with code "invalid_request"
      When I send "GET" to "{scoped}/runs/{run}/asks/ask_none"
      Then the answer is 404 with code "not_found"
      When I cancel the run because "seen"
      Then the run is "cancelled"

  Rule: svc wait-any can also wait for an ask

    @store
    Scenario: a wait takes an ask that arrives, and a later wait takes one from the queue
      When I submit the script "any.sh":
        """
        first=$(svc wait-any signal:stop ask:price timeout:10m)
        svc answer "$first" 1
        svc wait-signal go
        second=$(svc wait-any signal:stop ask:price)
        svc answer "$second" 2
        echo "${second%%,*}"
        """
      Then the run waits for "any" "signal:stop ask:price"
      When I call "svc ask {run} price"
      Then standard output is "1"
      And the run waits for "signal" "go"
      When I call "svc ask {run} price --no-wait"
      And I send the signal "go" with "null"
      Then the run succeeds
      And the log has '{"first":"ask"'

  Rule: The SDKs answer in the same way

    Scenario: TypeScript
      When I submit the script "price.ts":
        """
        import { answer, output, waitAny, waitAsk } from 'svc/sdk';
        const ask = await waitAsk<number>('price', { timeout: '10m' });
        const state = await answer(ask, { price: ask.payload * 2 });
        const first = await waitAny({ asks: 'more', timeout: '10m' });
        if (first.first === 'ask') await answer(first.id, 'no more');
        await output.set({ state });
        """
      Then the run waits for "ask" "price"
      When I call "svc ask {run} price 6"
      Then standard output is '{"price":12}'
      When I call "svc ask {run} more"
      Then standard output is '"no more"'
      And the run succeeds
      And "output.state" of the run is "answered"

    Scenario: Python
      When I submit the script "price.py":
        """
        from svc_sdk import answer, output, wait_any, wait_ask
        ask = wait_ask("price", timeout="10m")
        state = answer(ask, {"price": ask["payload"] * 2})
        first = wait_any(asks="more", timeout="10m")
        answer(first["id"], "no more")
        output.set(state=state)
        """
      Then the run waits for "ask" "price"
      When I call "svc ask {run} price 6"
      Then standard output is '{"price":12}'
      When I call "svc ask {run} more"
      Then standard output is '"no more"'
      And the run succeeds
      And "output.state" of the run is "answered"
