Feature: Owners of state

  Rule: State belongs to the run, or to the project with --entity

    @VERB-047
    Scenario: two runs do not see each other's state
      When I submit the script "first.sh":
        """
        svc state set colour red
        svc state get colour
        """
      Then the run succeeds
      When I submit the script "second.sh":
        """
        code=0; svc state get colour 2> {folder}/said || code=$?
        echo "code $code"
        svc state list
        """
      Then the run succeeds
      And the log is:
        """
        code 1
        """

    @VERB-048 @store
    Scenario: runs of a project share an entity, and other projects do not see it
      When I submit the script "first.sh":
        """
        svc state set --entity shop colour red
        svc state set --entity other size small
        """
      Then the run succeeds
      When I submit the script "second.sh":
        """
        svc state get --entity shop colour
        svc state list --entity shop
        svc state delete --entity other size
        """
      Then the run succeeds
      And the log is:
        """
        red
        colour
        """
      When I send "GET" to "{scoped}/state/other/size"
      Then the answer is 404 with code "not_found"
      When I work in another project
      And I submit the script "stranger.sh":
        """
        svc state list --entity shop
        """
      Then the run succeeds
      And the log is:
        """
        """
