Feature: Kinds of credentials

  Rule: Each kind of credential is created with its fields and listed by name

    @CLI-007 @CLI-011 @CLI-013 @CRED-023
    Scenario: a bearer token is stored and listed
      When I call "svc credential set bot --kind bearer --token -" with standard input:
        """
        tok-bearer-1
        """
      # @contract
      Then standard error has "Created credential bot (bearer)"
      When I call "svc credential ls"
      Then standard output matches "^bot +bearer *$"
      And standard output lacks "tok-bearer-1"
      When I send "GET" to "{scoped}/credentials"
      Then "credentials.0" of the answer is '{"name":"bot","kind":"bearer"}'
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "bot"}}':
        """
        test "$TOKEN" = 'tok-bearer-1'
        """
      Then the run succeeds

    @CLI-008 @CLI-011 @CLI-014
    Scenario: an API key is stored and listed
      When I call "svc credential set llm --kind api-key --header x-api-key --value -" with standard input:
        """
        key-llm-22
        """
      And I call "svc credential ls"
      Then standard output matches "^llm +api-key *$"
      When I send "GET" to "{scoped}/credentials"
      Then "credentials.0" of the answer is '{"name":"llm","kind":"api_key"}'
      And the answer lacks "key-llm-22"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "llm"}}':
        """
        test "$TOKEN" = 'key-llm-22'
        """
      Then the run succeeds

    @CLI-009 @CLI-011 @CLI-015
    Scenario: a username and password are stored and listed
      When I call "svc credential set registry --kind basic --username ci --password -" with standard input:
        """
        pass:with:colons
        """
      And I call "svc credential ls"
      Then standard output matches "^registry +basic *$"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "registry"}}':
        """
        test "$TOKEN" = 'ci:pass:with:colons'
        """
      Then the run succeeds

    @CLI-010 @CLI-011 @CLI-013
    Scenario: a URL token is stored and listed
      When I call "svc credential set chat --kind url-token --token -" with standard input:
        """
        123:tok-url
        """
      And I call "svc credential ls"
      Then standard output matches "^chat +url-token *$"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "chat"}}':
        """
        test "$TOKEN" = '123:tok-url'
        """
      Then the run succeeds

    @CLI-008 @CLI-009
    Scenario: literal values and passwords work, with a warning
      When I call "svc credential set llm --kind api-key --header x-api-key --value key-literal"
      # @contract
      Then standard error has "warning: --value is visible in the process list"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "llm"}}':
        """
        test "$TOKEN" = 'key-literal'
        """
      Then the run succeeds
      When I call "svc credential set registry --kind basic --username ci --password pass-literal"
      # @contract
      Then standard error has "warning: --password is visible in the process list"
      When I submit the script "look.sh" with the options '{"credentials": {"TOKEN": "registry"}}':
        """
        test "$TOKEN" = 'ci:pass-literal'
        """
      Then the run succeeds

    @far-end @CLI-008
    Scenario: an API key keeps the name of its header
      Given a far end
      When I call "svc credential set llm --kind api-key --header x-other-key --value -" with standard input:
        """
        key-llm-23
        """
      And I run the node "http" with:
        """
        {"url": "{far}/x", "credential": "llm"}
        """
      Then the run succeeds
      And the far end got:
        | x-other-key | authorization |
        | key-llm-23  | -             |

    @CLI-012
    Scenario: a removed credential no longer exists
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-bearer-1"}'
      When I call "svc credential rm bot"
      And I call "svc credential ls --json"
      Then standard output lacks "bot"
      When I send "POST" to "{scoped}/runs" with:
        """
        {"source": "true", "credentials": {"TOKEN": "bot"}}
        """
      Then the answer is 422 with code "credential_missing"
      When I call "svc credential rm bot"
      Then it exits with 1
      # @contract
      And standard error has "not_found"

  Rule: No operation shows the stored value

    @CRED-006
    Scenario: setting, listing and reading a credential never show its value
      When I send "PUT" to "{scoped}/credentials/bot" with:
        """
        {"kind": "basic", "username": "user-stored", "password": "pass-stored"}
        """
      Then the answer is 201
      And the answer lacks "stored"
      When I send "GET" to "{scoped}/credentials"
      Then the answer lacks "stored"
      When I send "GET" to "{scoped}/credentials/bot/uses"
      Then the answer lacks "stored"
      When I send "GET" to "{scoped}/audit"
      Then the answer has "credential.set"
      And the answer lacks "stored"
      When I send "GET" to "{scoped}/credentials/bot"
      Then the answer is 405 with code "method_not_allowed"
      When I call "svc help credential"
      Then standard output lacks "credential get"
