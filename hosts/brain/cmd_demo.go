package main

type demoCmd struct {
	Keep bool `help:"Keep the brain and the notes, and say where they are."`
}

func (c *demoCmd) Help() string { return "" }

func (c *demoCmd) Run(a *app) error { return nil }
