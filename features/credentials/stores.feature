@contract @far-end
Feature: Credentials whose secret field is in a secret store

  Rule: The field is read from its store when the credential is used

    Scenario Outline: a job gets a credential of kind <kind>
      Given a Vault with a token
      And it has '{"secret": "stored-canary-1"}' at "app/bot"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And I call "svc credential set bot --kind <kind> <flags> --from-store main --path app/bot#secret"
      Then it exits with 0
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        test "$TOKEN" = <value>
        echo "it is $TOKEN"
        """
      Then the run succeeds
      And the log has "it is ***"
      And nobody can read "stored-canary-1" anywhere in the run

      Examples:
        | kind      | flags              | value              |
        | bearer    |                    | stored-canary-1    |
        | api-key   | --header x-api-key | stored-canary-1    |
        | basic     | --username ci      | ci:stored-canary-1 |
        | url-token |                    | stored-canary-1    |

    Scenario: lists show where each field is stored, but never its value
      Given a Vault with a token
      And it has '{"secret": "stored-canary-1"}' at "app/bot"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And I call "svc credential set bot --kind basic --username ci --from-store main --path app/bot#secret"
      When I call "svc credential ls"
      Then standard output has "password: main:app/bot#secret"
      And standard output lacks "canary"
      When I send "GET" to "{scoped}/credentials"
      Then the answer has '"from":{"store":"main","path":"app/bot","field":"secret"}'
      When I call "svc credential set bot --kind basic --username ci --password -" with standard input:
        """
        kept-in-svc
        """
      And I call "svc credential ls"
      Then standard output lacks "main:app/bot"

  Rule: A store that fails makes the use fail, with the store and the path and no value

    Scenario: a field that is missing fails a request before it is sent
      Given a Vault with a token
      And it has '{"secret": "stored-canary-1"}' at "app/bot"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And I call "svc credential set bot --kind bearer --from-store main --path app/bot#sceret"
      When I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "bot"}
        """
      Then the run fails with code "secret_store_no_value"
      And "error.message" of the run matches "the credential bot, whose token is main:app/bot#sceret: app/bot#sceret in the secret store main"
      And nobody can read "canary" anywhere in the run

    Scenario: a value that cannot be a header is none
      Given a Vault with a token
      And it has '{"secret": "stored-cänary-1"}' at "app/bot"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And I call "svc credential set bot --kind bearer --from-store main --path app/bot#secret"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        true
        """
      Then the run fails with code "secret_store_no_value"
      And "error.message" of the run matches "app/bot#secret in the secret store main must be ASCII, because it becomes a header"
      And nobody can read "nary-1" anywhere in the run

    Scenario: a run waits while the store is down
      Given a Vault with a token
      And it has '{"secret": "stored-canary-1"}' at "app/bot"
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      And I call "svc credential set bot --kind bearer --from-store main --path app/bot#secret"
      When the secret store is down
      And I call "svc credential test bot --url {far}/x"
      Then it exits with 3
      And standard error has "the credential bot, whose token is main:app/bot#secret: the secret store main answered 503"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        test "$TOKEN" = stored-canary-1
        """
      And the secret store works again
      Then the run succeeds

    Scenario Outline: <what> is rejected when the credential is set
      Given a Vault with a token
      And I call "svc secret-store set main --kind vault --url {far} --token @vault.token"
      When I send "PUT" to "{scoped}/credentials/bot" with:
        """
        <body>
        """
      Then the answer is <status> with code "<code>"
      When I send "GET" to "{scoped}/credentials"
      Then the answer lists 0 "credentials"

      Examples:
        | what                       | status | code                 | body |
        | a store that is missing    | 422    | secret_store_missing | {"kind": "bearer", "from": {"store": "other", "path": "a", "field": "b"}} |
        | a path without a field     | 400    | invalid_request      | {"kind": "bearer", "from": {"store": "main", "path": "a"}} |
        | a value and a place        | 400    | invalid_request      | {"kind": "bearer", "token": "tok-1", "from": {"store": "main", "path": "a", "field": "b"}} |
        | a kind without its header  | 400    | invalid_request      | {"kind": "api_key", "from": {"store": "main", "path": "a", "field": "b"}} |

    Scenario Outline: the CLI rejects flags that do not belong together: <flags>
      When I call "svc credential set bot --kind bearer <flags>"
      Then it exits with 2
      And standard error has "<says>"

      Examples:
        | flags                                  | says                                           |
        | --from-store main                      | --from-store and --path belong together        |
        | --token x --from-store main --path a#b | --token cannot be combined with --from-store   |
