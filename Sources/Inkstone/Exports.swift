@_exported import InkstoneAccessibility
@_exported import InkstoneBase
@_exported import InkstoneEditing
@_exported import InkstoneInput
@_exported import InkstoneLayout
@_exported import struct InkstoneProxy.TextInputTraits
@_exported import InkstoneProxyServer
@_exported import InkstoneRichText
@_exported import InkstoneText
@_exported import InkstoneUnicode
@_exported import InkstoneView
@_exported import InkstoneX11
