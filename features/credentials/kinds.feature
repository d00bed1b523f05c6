Feature: Kinds of credentials

  Rule: Each kind is stored with its fields and listed by its name

    @CLI-007 @CLI-011 @CLI-013 @CRED-023
    Scenario: a bearer token
      When I call "svc credential set bot --kind bearer --token -" with standard input:
        """
        tok-bearer-1
        """
      Then standard error has "credential bot (bearer) is stored"
      When I call "svc credential list"
      Then standard output matches "^bot +bearer *$"
      And standard output lacks "tok-bearer-1"
      When I send "GET" to "{scoped}/credentials"
      Then "credentials.0" of the answer is '{"name":"bot","kind":"bearer"}'

    @CLI-008 @CLI-011 @CLI-014
    Scenario: a key in a header
      When I call "svc credential set llm --kind api-key --header x-api-key --value -" with standard input:
        """
        key-llm-22
        """
      And I call "svc credential list"
      Then standard output matches "^llm +api-key *$"
      When I send "GET" to "{scoped}/credentials"
      Then "credentials.0" of the answer is '{"name":"llm","kind":"api_key"}'
      And the answer lacks "key-llm-22"

    @CLI-009 @CLI-011 @CLI-015
    Scenario: a username and a password
      When I call "svc credential set registry --kind basic --username ci --password -" with standard input:
        """
        pass:with:colons
        """
      And I call "svc credential list"
      Then standard output matches "^registry +basic *$"

    @CLI-010 @CLI-011 @CLI-013
    Scenario: a token in a URL
      When I call "svc credential set chat --kind url-token --token -" with standard input:
        """
        123:tok-url
        """
      And I call "svc credential list"
      Then standard output matches "^chat +url-token *$"

    @CLI-008 @CLI-009
    Scenario: literal values and passwords work with a warning
      When I call "svc credential set llm --kind api-key --header x-api-key --value key-literal"
      Then standard error has "warning: --value is visible in the process list"
      When I call "svc credential set registry --kind basic --username ci --password pass-literal"
      Then standard error has "warning: --password is visible in the process list"

    @CLI-012
    Scenario: a removed credential is gone
      Given the credential "bot" is '{"kind": "bearer", "token": "tok-bearer-1"}'
      When I call "svc credential rm bot"
      And I call "svc credential list --json"
      Then standard output lacks "bot"
      When I call "svc credential rm bot"
      Then it exits with 1
      And standard error has "not_found"

  Rule: No operation shows the stored value

    @CRED-006
    Scenario: setting, listing and reading never show the value
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
