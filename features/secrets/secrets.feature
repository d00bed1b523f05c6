Feature: Secrets of a project

  Rule: A secret is set, shown individually, and removed

    @CLI-001 @CLI-003 @CLI-004 @SEC-001 @SEC-004 @SEC-005 @SEC-006 @SEC-007
    Scenario: a secret is set, listed and shown on the command line
      When I call "svc secret set NPM_TOKEN -" with standard input:
        """
        tok-4711-abc
        """
      # @contract
      Then standard error has "Created secret NPM_TOKEN"
      When I call "svc secret ls"
      Then standard output matches "^NPM_TOKEN +\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"
      And standard output lacks "tok-4711-abc"
      When I call "svc secret get NPM_TOKEN"
      Then standard output is "tok-4711-abc"
      When I send "GET" to "{scoped}/secrets"
      Then the answer lists 1 "secrets"
      And "secrets.0.name" of the answer is "NPM_TOKEN"
      And the answer lacks "tok-4711-abc"

    @CLI-002 @SEC-003 @store
    Scenario: setting a secret again replaces its value
      Given the secret "TOKEN" is "first value"
      When I call "svc secret set TOKEN -" with standard input:
        """
        second value
        """
      # @contract
      Then standard error has "Replaced secret TOKEN"
      When I call "svc secret get TOKEN"
      Then standard output is "second value"
      When I send "GET" to "{scoped}/secrets"
      Then the answer lists 1 "secrets"

    @SEC-003 @store
    Scenario: another project can have a secret with the same name
      Given the secret "TOKEN" is "of the first"
      When I work in another project
      And I send "GET" to "{scoped}/secrets/TOKEN"
      Then the answer is 404 with code "not_found"

    @CLI-005
    Scenario: a removed secret no longer exists
      Given the secret "TOKEN" is "some value"
      When I call "svc secret rm TOKEN"
      And I call "svc secret get TOKEN"
      Then it exits with 1
      # @contract
      And standard error has "not_found"
      When I call "svc secret rm TOKEN"
      Then it exits with 1

    @CLI-006 @SEC-006
    Scenario: no command prints all values
      Given the secret "ONE" is "value-of-one"
      And the secret "TWO" is "value-of-two"
      When I call "svc secret ls --json"
      Then standard output is JSON whose "secrets.0.name" is "TWO"
      And standard output lacks "value-of"
      When I call "svc secret get ONE TWO"
      Then it exits with 2
      When I call "svc secret get"
      Then it exits with 2
      When I call "svc help secret"
      Then standard output lacks "dump"
      And standard output lacks "export"

  @contract
  Rule: A value is read from a file or standard input, and a literal value causes a warning

    Scenario: the whole file is stored without its final line break
      Given a file "key.pem":
        """
        -----BEGIN-----
        abcdef
        -----END-----
        """
      When I call "svc secret set KEY @key.pem"
      Then standard error lacks "warning"
      When I call "svc secret get KEY --json"
      Then standard output is JSON with "value"
      And standard output has "-----BEGIN-----\nabcdef\n-----END-----"

    Scenario: a literal value causes a warning
      When I call "svc secret set PIN 001234"
      Then standard error has "warning: <value> is visible in the process list"
      When I call "svc secret get PIN"
      Then standard output is "001234"

    Scenario: a value that is not text is rejected
      Given a file "bytes" of the bytes "61ff6263"
      When I call "svc secret set KEY @bytes"
      Then it exits with 2
      And standard error has "not UTF-8"
