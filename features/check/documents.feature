Feature: Checking documents that are not workflows

  Rule: A handler is recognized by its members and checked in the same way as at registration

    @contract
    Scenario: a handler without a problem
      Given a file "good.json":
        """
        {"on": ["deploy.*"], "when": "event.payload.n > 1", "filename": "a.sh", "source": "echo hello"}
        """
      When I call "svc check good.json"
      Then it exits with 0
      And standard output is "good.json: ok"

    @WAIT-013
    Scenario: every problem of a handler, each with its position
      Given a file "bad.json":
        """
        {
          "on": ["run.*", "a*b"],
          "wen": "true",
          "when": "event.payload.n === 1",
          "filename": "a.sh",
          "source": "echo one\nif true; then"
        }
        """
      When I call "svc check bad.json"
      Then it exits with 1
      # @contract
      And standard output has "bad.json:2:19: /on/1 can have only one *"
      # @contract
      And standard output has "bad.json:3:10: /wen is not a known member; did you mean when?"
      # @contract
      And standard output has "bad.json:4:28: /when cannot be read"
      # @contract
      And standard output has "event.payload.n === 1"
      # @contract
      And standard output has "    |                            ^"

    @contract
    Scenario: what a handler runs is checked too
      Given a file "on-push.json":
        """
        {"on": ["push"],
         "filename": "a.sh",
         "source": "echo one\nif true; then"}
        """
      When I call "svc check on-push.json"
      Then it exits with 1
      And standard output matches "^on-push\.json:3:12: /source \d+:\d+ .*\(bash_syntax\)$"

    @contract
    Scenario: the problems are those for which a registration is rejected
      Given a file "gone.json":
        """
        {"on": ["push"], "graph": "nobody"}
        """
      When I call "svc check gone.json --json"
      Then it exits with 1
      And standard output is JSON with "files.0.problems.0.line"
      And standard output has "the project has no graph nobody"
      When I send "PUT" to "{scoped}/handlers/gone" with:
        """
        {"on": ["push"], "graph": "nobody"}
        """
      Then the answer is 404 with code "not_found"
      And the answer has "the project has no graph nobody"

  @contract
  Rule: A manifest is recognized by the member of that name

    Scenario: a connector without a problem
      When I call "svc connector init mill"
      Then it exits with 0
      When I call "svc check {folder}/mill/manifest.json"
      Then it exits with 0
      And standard output has "manifest.json: ok"

    Scenario: misspelt members of a manifest
      Given a file "m.json":
        """
        {"manifest": "svc-connector/v1",
         "name": "mill",
         "titel": "Mill",
         "actions": {}}
        """
      When I call "svc check m.json"
      Then it exits with 1
      And standard output has "m.json:3:11: /titel is not a known member; did you mean title?"
      And standard output has "/title is required"

  @contract
  Rule: Unknown JSON is reported as such, and never treated as a program

    Scenario Outline: <what>
      Given a file "x.json":
        """
        <text>
        """
      When I call "svc check x.json"
      Then it exits with 1
      And standard output has "<said>"

      Examples:
        | what             | text                       | said                                             |
        | no JSON          | {"on": ["push"], }         | x.json:1:18: is not valid JSON: expected name    |
        | an unknown thing | {"colour": "red"}          | x.json:1:1: is not a document that svc recognizes  |
        | a later version  | {"version": "svc-mill/v1"} | the document is a mill, which is not a known kind |

    Scenario: a problem with one file does not hide those of the others
      Given a file "x.json":
        """
        {"version": "svc-mill/v1"}
        """
      And a file "y.sh":
        """
        if true; then
        """
      When I call "svc check x.json y.sh"
      Then it exits with 1
      And standard output has "x.json:1:1: "
      And standard output has "y.sh:"
