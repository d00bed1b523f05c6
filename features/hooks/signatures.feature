Feature: Signed deliveries

  Rule: A connector's manifest describes the signature

    @CLI-038 @HOOK-002
    Scenario: a hook accepts Standard Webhooks signed by the official library
      When I call "svc event-hook set billing --manifest standard_webhooks --key - --json" with standard input:
        """
        whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw
        """
      Then standard output is JSON whose "mode" is "manifest"
      And standard output lacks "MfKQ9r8GKYqr"
      When its address and secret are noted from standard output
      Given a delivery of '{"type":"invoice.paid","n":1}' as "application/json"
      And the official signer signs it as "msg_1" with "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 0 seconds from now
      When it is delivered to "{ingest}" with the headers:
        | webhook-id        | msg_1       |
        | webhook-timestamp | {timestamp} |
        | webhook-signature | v1,AAAA {signature} |
      Then it became an event "billing.invoice.paid" with '{"body":{"type":"invoice.paid","n":1},"query":{}}'

    @contract @store
    Scenario: a repeated delivery returns the same event
      Given the event hook "code" with '{"manifest": "forge_a", "key": "key-of-the-test"}'
      And a delivery of '{"action":"opened"}' as "application/json"
      And its sha256 HMAC with the key "key-of-the-test" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Hub-Signature-256 | sha256={hmac} |
        | X-GitHub-Event      | issues        |
        | X-GitHub-Delivery   | delivery-1    |
      Then it became an event "code.issues" with '{"body":{"action":"opened"},"query":{}}'
      When it is delivered to "{ingest}" with the headers:
        | X-Hub-Signature-256 | sha256={hmac} |
        | X-GitHub-Event      | issues        |
        | X-GitHub-Delivery   | delivery-1    |
      Then "event_id" of the answer is "{event}"
      And there is 1 event "code.issues"
      And "trusted" of the last event "code.issues" is "false"

    @AUTH-028 @HAND-046
    Scenario: an untrusted delivery starts no handler that declares a credential
      Given the credential "bot" is '{"kind": "bearer", "token": "token-of-the-bot"}'
      And a file "deploy.sh":
        """
        echo "$TOKEN"
        """
      And I call "svc handler set deploy deploy.sh --on code.* --credential TOKEN=bot"
      And the event hook "code" with '{"manifest": "forge_a", "key": "key-of-the-test"}'
      And its sha256 HMAC with the key "key-of-the-test" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Hub-Signature-256 | sha256={hmac} |
        | X-GitHub-Event      | issues        |
      Then it became an event "code.issues" with '{"body":{},"query":{}}'
      And what came of "{event}" is soon:
        | reaction | name   | state   |
        | handler  | deploy | refused |
      # @contract
      And "deliveries.0.reason" of the last event "code.issues" matches "untrusted_run_declares_credential"

    @contract
    Scenario: a delivery outside the time window or changed in transit is rejected
      Given the event hook "billing" with '{"manifest": "standard_webhooks", "key": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}'
      And a delivery of '{"type":"invoice.paid"}' as "application/json"
      And the official signer signs it as "msg_1" with "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", -400 seconds from now
      When it is delivered to "{ingest}" with the headers:
        | webhook-id        | msg_1       |
        | webhook-timestamp | {timestamp} |
        | webhook-signature | {signature} |
      Then the answer is 401 with code "signature_invalid"
      And "detail" of the answer matches "webhook-timestamp"
      Given the official signer signs it as "msg_1" with "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 0 seconds from now
      And a delivery of '{"type":"invoice.void"}' as "application/json"
      When it is delivered to "{ingest}" with the headers:
        | webhook-id        | msg_1       |
        | webhook-timestamp | {timestamp} |
        | webhook-signature | {signature} |
      Then the answer is 401 with code "signature_invalid"
      And the answer lacks "{signature}"
      And there are 0 events "billing.invoice.paid"

    @contract
    Scenario: a delivery whose type is not a valid event type is rejected
      Given the event hook "code" with '{"manifest": "forge_a", "key": "key-of-the-test"}'
      And its sha256 HMAC with the key "key-of-the-test" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Hub-Signature-256 | sha256={hmac} |
        | X-GitHub-Event      | no type       |
      Then the answer is 400 with code "event_type_invalid"

  Rule: A hook can verify an HMAC of the body without a manifest

    @CLI-039 @HOOK-002
    Scenario: the signature header can have a configured prefix
      When I call "svc event-hook set shop --hmac-header X-Sig --hmac-key key-of-the-test --hmac-prefix v0= --json"
      # @contract
      Then standard error has "warning: --hmac-key is visible in the process list"
      And standard output is JSON whose "mode" is "hmac"
      And standard output is JSON whose "hmac.prefix" is "v0="
      And standard output lacks "key-of-the-test"
      When its address and secret are noted from standard output
      Given a delivery of 'sold=1' as "application/x-www-form-urlencoded"
      And its sha256 HMAC with the key "key-of-the-test" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Sig | v0={hmac} |
      Then it became an event "hook.shop" with '{"body":"sold=1","query":{}}'
      When it is delivered to "{ingest}" with the headers:
        | X-Sig | {hmac} |
      Then the answer is 401 with code "signature_invalid"
      When it is delivered to "{ingest}"
      Then the answer is 401 with code "signature_invalid"
      # @contract
      And "detail" of the answer matches "the X-Sig header is missing"

    @contract
    Scenario: a hook can use another algorithm, encoding, type and key
      When I call "svc event-hook set shop --hmac-header X-Sig --hmac-key key-of-the-test --hmac-algorithm sha512 --hmac-encoding hex --event-type shop.sold --json"
      And its address and secret are noted from standard output
      And I call "svc event-hook rotate shop --key -" with standard input:
        """
        the-next-key
        """
      Then standard error has "Replaced the key of event hook"
      Given a delivery of 'sold' as "text/plain"
      And its sha512 HMAC with the key "key-of-the-test" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Sig | {hmac} |
      Then the answer is 401 with code "signature_invalid"
      Given its sha512 HMAC with the key "the-next-key" is noted
      When it is delivered to "{ingest}" with the headers:
        | X-Sig | {hmac} |
      Then it became an event "shop.sold" with '{"body":"sold","query":{}}'
