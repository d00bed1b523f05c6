@contract
Feature: From a delivery to a commit status

  Rule: Acknowledged work is completed even if processes die

    @own-server
    Scenario: a payment is summarized, posted and reported on a commit even though servers and agents are killed
      Given a chat endpoint with the model "large" and the key "key-of-the-model"
      And it does not answer the next request
      And a homeserver with the token "tok-homeserver" and the room "!ops:example.org"
      And a statuses API with the token "tok-of-forge" for "acme/web"
      And the credential "pay" is '{"kind": "bearer", "token": "key-of-the-payments"}'
      And the credential "llm" is '{"kind": "bearer", "token": "key-of-the-model"}'
      And the credential "chat" is '{"kind": "bearer", "token": "tok-homeserver"}'
      And the credential "forge" is '{"kind": "bearer", "token": "tok-of-forge"}'
      When I save the graph "paid":
        """
        {"nodes": [
          {"id": "hook", "type": "trigger.webhook", "config": {"verification": {"manifest": "payment_service", "credential": "pay"}}},
          {"id": "ask", "type": "chat_llm.chat", "config": {"credential": "llm", "fail_on_error_status": true,
            "with": {"base_url": "{chat_endpoint}/v1", "model": "large"}, "input": {"prompt": "{{ input.payload.body.id }}"}}},
          {"id": "say", "type": "federated_chat.send_message", "config": {"credential": "chat", "fail_on_error_status": true,
            "with": {"homeserver": "{homeserver}", "room_id": "!ops:example.org"},
            "input": {"text": "**{{ nodes.ask.output.body.choices[0].message.content }}**"}}},
          {"id": "note", "type": "forge_a.set_commit_status", "config": {"credential": "forge", "fail_on_error_status": true,
            "with": {"api_base": "{statuses}", "context": "paid"},
            "input": {"repo": "acme/web", "sha": "{{ input.payload.body.sha }}", "state": "success"}}}],
         "edges": [{"from": "hook", "to": "ask"}, {"from": "ask", "to": "say"}, {"from": "say", "to": "note"}]}
        """
      Then the answer is 201
      When I send "POST" to "{scoped}/graphs/paid/publish" with:
        """
        {}
        """
      Then the answer is 200
      When "triggers.0.ingest_url" of the answer is noted as "ingest"
      And a delivery of '{"id": "evt_7", "type": "charge", "sha": "6dcb09b5b57875f334f61aebed695e2e4193db5e"}' as "application/json"
      And its signature over "{time}." and the body is noted as "sig", with the key "key-of-the-payments"
      And it is delivered to "{ingest}" with the headers:
        | Stripe-Signature | t={time},v1={sig} |
      Then the answer is 202
      And the chat_endpoint is asked for the first time
      When the server is killed
      And every agent is killed
      And the server is started again
      Then the project comes to rest
      And the room "!ops:example.org" has the messages:
        | body            |
        | **user: evt_7** |
      And the commit "acme/web@6dcb09b5b57875f334f61aebed695e2e4193db5e" soon has the checks:
        | context | state   |
        | paid    | success |
      When the run of the project is looked at
      Then the run succeeds
      And the chat_endpoint was asked 2 times
      And the homeserver was asked 1 time
      And the statuses was asked 1 time
      And nobody can read "key-of-the-payments" anywhere in the run
      And nobody can read "key-of-the-model" anywhere in the run
      And nobody can read "tok-homeserver" anywhere in the run
      And nobody can read "tok-of-forge" anywhere in the run
