Feature: Connected accounts in use

  Rule: An account works wherever a bearer credential does, for anyone who can submit

    @provider @far-end @ACCT-001 @ACCT-002 @ACCT-003 @ACCT-006 @ACCT-007 @ACCT-009 @ACCT-012 @AUTH-032 @AUTH-033 @needs-curl
    Scenario: requests, connectors, scripts, pipelines and a forge use an account
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a member "ben" with the role "member" and a token noted as "ben"
      When "ana" at the provider is connected as "mail"
      Then the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
      When I send "GET" to "{scoped}/accounts/mail"
      Then "account" of the answer is '{"id":"ana","label":"ana at the provider"}'
      And "scopes" of the answer is '["openid","offline_access"]'
      And "granter" of the answer is "{me}"
      When I run the node "http" with:
        """
        {"url": "{provider}/me", "credential": "mail"}
        """
      Then the run succeeds
      And "output.body.sub" of the run is "ana"
      And nobody can read "{token}" anywhere in the run
      Given a team chat with the token "{token}" and the channel "#ops"
      When I run the node "team_chat.post_message" with:
        """
        {"credential": "mail", "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "hello"}}
        """
      Then the run succeeds
      And "output.body.ok" of the run is "true"
      Given a file "who.sh":
        """
        echo "it is $TOKEN"
        curl -sf -H "Authorization: Bearer $TOKEN" {provider}/me
        """
      When I call "svc submit who.sh --follow --credential TOKEN=mail" with "SVC_TOKEN" set to "{ben}"
      Then it exits with 0
      And standard output has "it is ***"
      And standard output has "ana at the provider"
      When I submit the pipeline:
        """
        credentials: { TOKEN: mail }
        jobs:
          who:
            steps:
              - run: 'curl -sf -H "Authorization: Bearer $TOKEN" {provider}/me; echo "with $TOKEN"'
        """
      Then the run succeeds
      And the log has "with ***"
      And nobody can read "{token}" anywhere in the run
      When I call "svc account show mail"
      Then standard output has "last used"
      Given a forge whose API takes the token "{token}"
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential mail"
      Then the forge has 1 webhook for "acme/site"
      When I call "svc account uses mail --json"
      Then it exits with 0
      And standard output has "registers at the forge"
      When I send "GET" to "{scoped}/accounts/mail/uses"
      Then the answer has '"kind":"webhook"'
      And the answer lacks "{token}"

    @provider @ACCT-003
    Scenario: an account has the approved scopes and lists the scopes that were not approved
      Given a provider that is asked for a scope which it does not grant
      And "ana" at the provider is connected as "mail"
      Then the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
      When I send "GET" to "{scoped}/accounts/mail"
      Then "scopes" of the answer is '["openid","offline_access"]'
      # @contract
      And "scopes_missing" of the answer is '["calendar"]'

  Rule: A run that uses an unusable account fails, explains what to do next, and sends nothing

    @provider @far-end @ACCT-021 @ACCT-035 @ACCT-036 @ERR-013 @AUTH-013 @AUTH-014 @AUTH-015
    Scenario: a run uses an account that is disabled or removed
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a far end
      And "ana" at the provider is connected as "mail"
      When I submit the script "wait.sh" with the options '{"credentials": {"TOKEN": "mail"}}':
        """
        svc wait-signal go
        echo "goes on"
        """
      Then the run waits for "signal" "go"
      When I call "svc account uses mail"
      Then standard output matches "^run +{run} +wait\.sh: TOKEN"
      When I call "svc account disable mail"
      And I send the signal "go" with "null"
      Then the run fails with code "account_needs_reconnect"
      And the log lacks "goes on"
      When I submit over HTTP the graph with the input '{"who": "mail"}':
        """
        {"nodes": [{"id": "me", "type": "http", "config": {"url": "{far}/x", "credential": {"$expr": "input.who"}}}]}
        """
      Then the run fails with code "account_needs_reconnect"
      And "error.message" of the run matches "node me: reconnect the account mail: its status is disabled since 20.* reconnect it at http.*/connections#mail"
      When I submit over HTTP the graph with the input '{"who": "mail"}':
        """
        {"nodes": [{"id": "say", "type": "team_chat.post_message", "config": {"credential": {"$expr": "input.who"},
          "with": {"channel": "#ops", "api_base": "{far}/api"}, "input": {"text": "hello"}}}]}
        """
      Then the run fails with code "account_needs_reconnect"
      When I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far} --auto-register --credential mail"
      Then it exits with 1
      And standard error has "account_needs_reconnect"
      And standard error has "/connections#mail"
      When I call "svc account rm mail"
      And I submit over HTTP the graph with the input '{"who": "mail"}':
        """
        {"nodes": [{"id": "me", "type": "http", "config": {"url": "{far}/x", "credential": {"$expr": "input.who"}}}]}
        """
      Then the run fails with code "credential_missing"
      And the far end got 0 requests

  Rule: When a server rejects the token, svc checks the grant, and retries the request only if the node's settings require it

    @provider @far-end @ACCT-015 @ACCT-024
    Scenario: a server answers 401 while the grant is valid, and after it has ended
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a far end that answers:
        | path   | status |
        | /twice | 401    |
        | /once  | 401    |
      And "ana" at the provider is connected as "mail"
      And "ana" at the provider is connected as "post"
      When I run the graph:
        """
        {"nodes": [{"id": "me", "type": "http", "retry": {"attempts": 2, "backoff": "1ms"},
          "config": {"url": "{far}/twice", "credential": "mail", "retry_on": [401]}}]}
        """
      Then the run fails with code "request_failed"
      And the account "mail" soon is renewed
      And the account "mail" soon is "active"
      And the far end got 2 requests
      When the provider forgets every grant
      And I run the node "http" with:
        """
        {"url": "{far}/once", "credential": "post"}
        """
      Then the run succeeds
      And "output.status" of the run is "401"
      And the account "post" soon is "needs_reauth"
      And the far end got 3 requests
      And the account "mail" soon is "active"

    @provider @far-end @ACCT-024
    Scenario: a forge rejects the token
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And a forge whose API takes the token "another"
      And "ana" at the provider is connected as "mail"
      When the provider forgets every grant
      And I call "svc webhook set site --forge forge_a --repo acme/site --api-base {far_forge} --auto-register --credential mail"
      Then it exits with 1
      And standard error has "forge_refused"
      And the account "mail" soon is "needs_reauth"

  Rule: Untrusted runs cannot use accounts

    @own-server @configured @AUTH-022 @AUTH-026 @AUTH-027 @AUTH-028 @needs-cc
    Scenario: a run started by an outsider cannot use an account
      Given a server with the plugin "outsider" and the provider
      And a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And "ana" at the provider is connected as "mail"
      And the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
      When I send "POST" to "{scoped}/outsiders" with:
        """
        {"source": "echo it ran\n", "credentials": {"TOKEN": "mail"}}
        """
      And I take the run of the answer
      Then the run fails with code "untrusted_run_declares_credential"
      And the log lacks "it ran"
      When I send "POST" to "{scoped}/outsiders" with:
        """
        {"source": "test -n \"$(env)\"\nif env | grep {token}; then exit 1; fi\n"}
        """
      And I take the run of the answer
      Then the run succeeds
      And "trusted" of the run is "false"

    @provider @AUTH-022 @AUTH-026 @AUTH-027 @AUTH-028 @needs-cc
    Scenario: a pull request from a fork cannot use an account
      Given a provider that "keeps" refresh tokens, with access tokens of 600 seconds
      And "ana" at the provider is connected as "mail"
      And the last token of the provider, noted as "token", is of "ana" with the scopes "openid offline_access"
      And the webhook "site" with '{"forge": "forge_a", "repo": "acme/site"}'
      And the handler "armed" with '{"on": ["forge.pull_request"], "credentials": {"TOKEN": "mail"}}' runs "armed.sh":
        """
        echo "it ran"
        """
      And the handler "bare" on "forge.pull_request" runs "bare.sh":
        """
        test -n "$(env)"
        if env | grep {token}; then exit 1; fi
        """
      When forge_a delivers "pull_request" to "site":
        """
        {"action": "opened", "number": 1, "repository": {"full_name": "acme/site"}, "pull_request": {
          "author_association": "NONE", "base": {"repo": {"full_name": "acme/site"}},
          "head": {"sha": "0123456789", "ref": "fix", "repo": {"full_name": "eve/site"}}}}
        """
      Then it was delivered so:
        | name  | state   | reason                            |
        | armed | refused | untrusted_run_declares_credential |
        | bare  | delivered |                                 |
      And the handler "armed" ran 0 times
      And the handler "bare" succeeds
      And "trusted" of the run is "false"
