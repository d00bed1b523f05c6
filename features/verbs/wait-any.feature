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

    Scenario: a waiting run is cancelled, and leaves nothing behind
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
        const first = await waitAny({ signals: 'approved', events: ['order.paid'], timeout: '10m' });
        const late = await waitAny({ signals: 'never', timeout: 50 });
        await output.set({ first, late });
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I send the signal "approved" with "7"
      Then the run succeeds
      And "output.first.payload" of the run is "7"
      And "output.late.first" of the run is "timeout"

    Scenario: Python
      When I submit the script "any.py":
        """
        from svc_sdk import output, wait_any
        first = wait_any(signals="approved", events=["order.paid"], timeout="10m")
        late = wait_any(signals="never", timeout=0.05)
        output.set(first=first, late=late)
        """
      Then the run waits for "any" "signal:approved event:order.paid"
      When I send the signal "approved" with "7"
      Then the run succeeds
      And "output.first.payload" of the run is "7"
      And "output.late.first" of the run is "timeout"
